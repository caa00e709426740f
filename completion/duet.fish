# Completion of duet's command line for fish: options, then scripts. What
# follows the script, or the code of -c, is the script's own: files.

# True while no script and no code has been given.
function __duet_at_options
    set -l words (commandline -opc)
    for word in $words[2..-1]
        switch $word
            case -c '*.duet' '*.py' - run-graph
                return 1
        end
    end
end

complete -c duet -n __duet_at_options -s c -x -d 'run CODE'
complete -c duet -n __duet_at_options -s i -d 'stay at the prompt afterwards'
complete -c duet -n __duet_at_options -l cells -d 'run a percent script'
complete -c duet -n __duet_at_options -l compare \
    -d 'run eagerly and staged, and tell what differs'
complete -c duet -n __duet_at_options -l expect -x \
    -d 'with --compare: the codes that are to come'
complete -c duet -n __duet_at_options -l quiz \
    -d 'with --compare: predict the staged output'
complete -c duet -n __duet_at_options -l explain -x -d 'what a code means'
complete -c duet -n __duet_at_options -l html -r \
    -d 'with --cells or --compare: write a page'
complete -c duet -n __duet_at_options -l eager \
    -d 'run with staging switched off'
complete -c duet -n __duet_at_options -l trace \
    -d 'narrate each trace on standard error'
complete -c duet -n __duet_at_options -l help -d 'print the options'
complete -c duet -n __duet_at_options -l version -d 'print the version'
complete -c duet -n __duet_at_options -f \
    -a '(__fish_complete_suffix .duet; __fish_complete_suffix .py)'

# `duet run-graph GRAPH [NPY ...]`
complete -c duet -n 'test (count (commandline -opc)) = 1' -f -a run-graph \
    -d 'run a saved graph'
complete -c duet -n '__fish_seen_subcommand_from run-graph' -l name -x \
    -d 'the function to run'
complete -c duet -n '__fish_seen_subcommand_from run-graph' -l out -r \
    -d 'write the results to files that begin so'
