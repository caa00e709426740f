#!/usr/bin/perl
# Writes the names of Unicode's characters, and what else module unicodedata
# needs and libutf8proc lacks, as one C file on standard output. The data are
# those that perl carries; what is newer than Unicode 14 is left out.
use strict;
use warnings;
use Unicode::UCD qw(prop_invmap namedseq);

# An inversion map as a list of [first, last, value]; values that grow along a
# range (perl's formats "a…") are taken apart.
sub ranges {
    my ($property) = @_;
    my ($starts, $values, $format) = prop_invmap($property);
    die "char-names: perl has no property $property\n" unless $starts;
    my @rows;
    for my $i (0 .. $#$starts) {
        my ($first, $value) = ($starts->[$i], $values->[$i]);
        my $last = $i < $#$starts ? $starts->[$i + 1] - 1 : 0x10FFFF;
        $last = 0x10FFFF if $last > 0x10FFFF;
        if ($format =~ /^a/ && $value =~ /^[0-9]+$/) {
            push @rows, map { [$_, $_, $value + $_ - $first] } $first .. $last;
        } else {
            push @rows, [$first, $last, $value];
        }
    }
    return @rows;
}

# Which code points Unicode 14 has.
my %known;
for my $row (ranges('Age')) {
    my ($first, $last, $age) = @$row;
    next if $age eq 'Unassigned' || $age > 14;
    next if $last - $first > 20000; # ranges without names of their own
    $known{$_} = 1 for $first .. $last;
}

# Each name is [text, code points]. Hangul and unified ideographs go by rule,
# and CPython 3.11 has no names for Tangut ideographs.
my @names;
for my $row (ranges('Name')) {
    my ($first, $last, $name) = @$row;
    next if $name eq "" || $name =~ /^CJK UNIFIED|^TANGUT IDEO|hangul/;
    for my $code ($first .. $last) {
        next unless $known{$code};
        my $hex = sprintf '%04X', $code;
        push @names, [$name =~ s/<code point>/$hex/r, $code];
    }
}
my $plain = @names;
for my $row (ranges('Name_Alias')) {
    my ($first, $last, $aliases) = @$row;
    next unless $known{$first};
    for my $alias (ref $aliases ? @$aliases : ($aliases)) {
        push @names, [$alias =~ s/:.*//r, $first] if $alias ne '';
    }
}
my %sequences = namedseq();
push @names, [$_, map { ord } split //, $sequences{$_}]
    for sort keys %sequences;

sub list {
    my @items = @_;
    my $out = '';
    while (my @some = splice @items, 0, 16) {
        $out .= join(',', @some) . ",\n";
    }
    return $out;
}

my ($text, @rows, @points) = ('');
for my $name (@names) {
    my ($words, @codes) = @$name;
    my $target = $codes[0];
    if (@codes > 1) {
        $target = 0x200000 | @codes << 16 | @points;
        push @points, @codes;
    }
    push @rows, sprintf '{%d,0x%X}', length $text, $target;
    $text .= "$words\n";
}
my @order = sort { $names[$a][0] cmp $names[$b][0] } 0 .. $#names;
die "char-names: too many names\n" if @order > 0xFFFF || @points > 0xFFFF;

my %width = (Neutral => 'N', A => 'A', F => 'F', H => 'H', N => 'N',
    Na => 'Na', W => 'W', Ambiguous => 'A', Fullwidth => 'F',
    Halfwidth => 'H', Narrow => 'Na', Wide => 'W');
my @widths = map { sprintf '{0x%X,"%s"}', $_->[0], $width{$_->[2]} }
    ranges('East_Asian_Width');
my @numbers;
for my $row (ranges('Numeric_Value')) {
    my ($first, $last, $value) = @$row;
    next if $value eq 'NaN';
    my ($over, $under) = split m{/}, $value;
    $under //= 1;
    push @numbers, map { sprintf '{0x%X,%s.0/%s}', $_, $over, $under }
        grep { $known{$_} || $_ > 0x3000 } $first .. $last;
}

# Decompositions as UnicodeData.txt writes them; Hangul's go by rule.
my %tags;
for my $row (ranges('Decomposition_Type')) {
    my ($first, $last, $tag) = @$row;
    next if $tag eq 'None' || $last - $first > 5000;
    $tags{$_} = lc $tag eq 'canonical' || $tag eq 'Can' ? '' : "<$tag> "
        for $first .. $last;
}
my ($parts, @parts) = ('');
my ($starts, $maps) = prop_invmap('Decomposition_Mapping');
for my $i (0 .. $#$starts) {
    my $map = $maps->[$i];
    next if !ref $map && $map !~ /^[1-9]/;
    for my $code ($starts->[$i] .. $starts->[$i + 1] - 1) {
        # Single code points grow along a range.
        my @to = ref $map ? @$map : ($map + $code - $starts->[$i]);
        next unless $known{$code};
        push @parts, sprintf '{0x%X,%d}', $code, length $parts;
        $parts .= ($tags{$code} // '') .
            join(' ', map { sprintf '%04X', $_ } @to) . "\n";
    }
}

print "// Made by tools/char-names.pl.\n#include \"base/char_name_table.h\"\n\n";
print "const size_t char_name_plain = $plain, char_name_count = ",
    scalar @names, ";\n";
print "const unsigned char char_name_text[] = {\n",
    list(unpack 'C*', $text), "};\n";
print "const CharNameRow char_name_rows[] = {\n", list(@rows), "};\n";
print "const uint16_t char_name_order[] = {\n", list(@order), "};\n";
print "const uint32_t char_name_points[] = {\n", list(@points), "};\n";
print "const size_t char_width_count = ", scalar @widths, ";\n";
print "const CharWidthRow char_width_rows[] = {\n", list(@widths), "};\n";
print "const size_t char_number_count = ", scalar @numbers, ";\n";
print "const CharNumberRow char_number_rows[] = {\n", list(@numbers), "};\n";
print "const size_t char_part_count = ", scalar @parts, ";\n";
print "const CharPartRow char_part_rows[] = {\n", list(@parts), "};\n";
print "const unsigned char char_part_text[] = {\n",
    list(unpack 'C*', $parts), "};\n";
