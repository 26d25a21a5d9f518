/* The language of a program, by its name and by its content. */
#include "testing.h"

#include "code.h"

static void names_decide_the_language(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"a/b.py", "python"},
        {"A.PY", "python"},
        {"x.java", "java"},
        {"x.c", "c"},
        {"x.h", "c"},
        {"x.C++", "cpp"},
        {"x.cs", "csharp"},
        {"x.mjs", "javascript"},
        {"x.ts", "typescript"},
        {"x.tsx", "tsx"},
        {"x.go", "go"},
        {"x.rs", "rust"},
        {"x.php", "php"},
        {"x.rb", "ruby"},
        {"x.kt", "kotlin"},
        {"x.scala", "scala"},
        {"x.swift", "swift"},
        {"x.hs", "haskell"},
        {"x.mli", "ocaml"},
        {"x.lua", "lua"},
        {"x.R", "r"},
        {"x.sh", "bash"},
        {"x.sql", "sql"},
        {"x.f90", "plain"},
        {"x.pas", "plain"},
        {"x.pl", "plain"},
        {"x.m", "plain"},
        {"x.txt", "text"},
        {"x.md", "text"},
        {"x.html", "text"},
        {"task.c.txt", "c"},
        {"task.py.bak", "python"},
        {"a.b/c.d.txt", "plain"},
        {"dir.py/notes.txt", "text"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(tw_language_name(tw_language_detect(cases[i][0], "", 0)), cases[i][1]);
    for (size_t i = 0; tw_language_at(i); i++)
        assert_ptr_equal(tw_language_by_name(tw_language_name(tw_language_at(i))),
                         tw_language_at(i));
    assert_null(tw_language_by_name("klingon"));
    assert_true(tw_is_program_path("x.zig") && tw_is_program_path("x.c.txt"));
    assert_false(tw_is_program_path("x.txt") || tw_is_program_path("x") ||
                 tw_is_program_path("x.json"));
}

static void assert_language(const char *path, const char *text, const char *expected)
{
    assert_string_equal(tw_language_name(tw_language_detect(path, text, strlen(text))), expected);
}

static void contents_decide_where_names_do_not(void **state)
{
    (void)state;
    assert_language("x.h", "/* the class of all */\nint f(void);\n", "c");
    assert_language("x.h", "namespace a {\n}\n", "cpp");
    assert_language("x.h", "struct A {\n  virtual void f();\n};\n", "cpp");
    assert_language("x.ts", "let a: number;", "typescript");
    assert_language("x.ts", "<?xml version=\"1.0\"?><!DOCTYPE TS><TS/>", "text");
    assert_language("x.inc", "<?php echo 1;", "php");
    assert_language("run", "#!/usr/bin/env -S python3.11 -u\n", "python");
    assert_language("run", "#!/bin/sh\n", "bash");
    assert_language("run", "#! /usr/bin/perl -w\n", "plain");
    assert_language("run", "#!/opt/odd\n", "plain");
    assert_language("page", "\xEF\xBB\xBF\n<?php echo 1;", "php");
    assert_language("page", "<!DOCTYPE html><p>a</p>", "text");
    assert_language("note", "It is a truth universally acknowledged, that a man must be.", "text");
    assert_language("prog", "for (i = 0; i < n; i++) { s += a[i]; }", "plain");
    assert_language("empty", "", "text");
}

static void lines_show_the_language(void **state)
{
    (void)state;
    assert_language("A10013", "/* a */\n#include <stdio.h>\nint main(void) { return 0; }\n", "c");
    assert_language("A10013", "#include <vector>\nusing namespace std;\nint main() { f(); }\n",
                    "cpp");
    assert_language("A10013", "import java.util.*;\n\npublic class A { int f() { return 1; } }",
                    "java");
    assert_language("A10013", "def f(x):\n    return [x * 2]\n\nprint(f(3) + f(4))\n", "python");
    assert_language("A10013", "package main\n\nfunc main() {\n\tx := 1 + 2\n}\n", "go");
    assert_language("A10013", "fn main() {\n    let x = 1 + 2;\n}\n", "rust");
    assert_language("A10013", "let a = 1;\nfunction f() {\n}\nlet b = 2;\n", "javascript");
    assert_language("A10013", "let a = 1;\nlet b = 2;\nfn f() {\n}\n", "rust");
    assert_language("A10013", "function f(x) {\r\n  return x * 2;\r\n}\r\nf(1);\r\n", "javascript");
    assert_language("A10013", "using System;\nclass A { static void Main() { } }\n", "csharp");
    assert_language("letter", "The class was asked for one thing:\nimport java, not tea.\n",
                    "text");
    static const char program[] = "#include <stdio.h>\nint main(void) { return 0; }\n";
    static const char config[] = "[core]\n\teditor = vi\n\tpager = less -R\n[user]\n\tname = A\n";
    assert_true(tw_is_program_text(program, sizeof program - 1));
    assert_false(tw_is_program_text(config, sizeof config - 1));
    assert_false(tw_is_program_text("", 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_decide_the_language),
        cmocka_unit_test(contents_decide_where_names_do_not),
        cmocka_unit_test(lines_show_the_language),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
