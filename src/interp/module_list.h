// Every native module: MODULE(def), a `const ModuleDef` with external linkage
// in modules_*.c or beside what it shows. No include guard.
MODULE(display_module)
MODULE(gc_module)
MODULE(io_module)
MODULE(math_module)
MODULE(os_module)
MODULE(random_module)
MODULE(re_module)
MODULE(sys_module)
MODULE(time_module)
MODULE(traceback_module)
MODULE(weakref_module)
