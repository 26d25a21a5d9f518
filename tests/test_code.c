/* Programs as tokens: by the plain lexer, by parsers, and from hostile input. */
#include "testing.h"

#include "code.h"
#include "common.h"
#include "dice.h"
#include "memory.h"

typedef struct run {
    tw_coder *coder;
    tw_code code;
} run;

static int set_up(void **state)
{
    run *r = calloc(1, sizeof *r);
    if (!r || tw_coder_new(&r->coder) != TWINSET_OK)
        return 1;
    *state = r;
    return 0;
}

static int tear_down(void **state)
{
    run *r = *state;
    tw_code_free(&r->code);
    tw_coder_free(r->coder);
    free(r);
    return 0;
}

static const tw_language *language_named(const char *name)
{
    const tw_language *language = tw_language_by_name(name);
    if (!language)
        fail_msg("no language %s", name);
    return language;
}

/* The normal forms as a string. */
static const char *tokens_of(run *r, const char *language, const char *text, size_t length)
{
    tw_code *code = &r->code;
    assert_int_equal(tw_code_tokens(r->coder, language_named(language), text, length, code),
                     TWINSET_OK);
    assert_int_equal(tw_bytes_append(&code->normal, "", 1), TWINSET_OK);
    code->normal.length--;
    return code->normal.data;
}

#define assert_tokens(r, language, text, expected)                                                 \
    assert_string_equal(tokens_of(r, language, LITERAL(text)), expected)

/* Skips a test that needs grammars, if there are none. */
static void skip_without_grammars(run *r)
{
    tokens_of(r, "c", LITERAL("int a;"));
    if (r->code.lexed)
        skip();
}

/* Checks that tokens are in order, on their lines, and have forms. */
static void check_spans(const tw_code *code, const char *text, size_t length)
{
    size_t offset = 0, spaces = 0;
    uint32_t line = 1;
    for (size_t i = 0; i < code->count; i++) {
        const tw_token *token = &code->tokens[i];
        assert_true(token->start >= offset && token->start < token->end && token->end <= length);
        for (; offset < token->start; offset++)
            line += text[offset] == '\n';
        assert_int_equal(token->line, line);
        for (; offset < token->end; offset++)
            line += text[offset] == '\n';
    }
    for (size_t i = 0; i < code->normal.length; i++) {
        unsigned char c = (unsigned char)code->normal.data[i];
        assert_true(c >= ' ');
        spaces += c == ' ';
    }
    assert_int_equal(spaces, code->count);
}

/* ---- the plain lexer */

static void numbers_names_and_operators_are_lexed(void **state)
{
    run *r = *state;
    assert_tokens(r, "plain", "let total = 12 + rate * 1.5e-3;", "let I = N + I * N ; ");
    assert_tokens(r, "plain", "IF x THEN y := 0xFFul ELSE End", "if I then I := N else end ");
    assert_tokens(r, "plain", "a[1..9] >>>= b->c :: d", "I [ N .. N ] >>>= I -> I :: I ");
    assert_tokens(r, "plain", "na\xC3\xAFve \xE2\x80\xA6\xC2\xA0x\xE2\x88\x80",
                  "I \xE2\x80\xA6 I \xE2\x88\x80 ");
    assert_tokens(r, "plain", "a \\\n  b", "I I ");
}

static void strings_are_lexed(void **state)
{
    run *r = *state;
    assert_tokens(r, "plain", "say \"a \\\" b\" 'c' `d`", "I S S S ");
    assert_tokens(r, "plain", "x = \"\"\"a\n\"b\"\n\"\"\" y", "I = S I ");
    assert_tokens(r, "plain", "it's\nopen\" x\n\"y\"", "I ' I I \" I S ");
    assert_tokens(r, "plain", "\"\"\" never", "S \" I ");
}

static void comments_are_no_tokens(void **state)
{
    run *r = *state;
    assert_tokens(r, "plain", "a // b\nc /* d\n */ e /* f", "I I I / * I ");
    assert_tokens(r, "plain", "# all\na # b\n", "I ");
    assert_tokens(r, "plain", "#define x\na", "# define I I ");
    assert_tokens(r, "plain", "-- all\na = b -- c", "I = I ");
    assert_tokens(r, "plain", "; all\n(define (f 'x) ; c\n", "( define ( I ' I ) ");
    assert_tokens(r, "plain", "% all\nf(X) :- g(X). % c", "I ( I ) : - I ( I ) . ");
    assert_tokens(r, "plain", "! all\nx = y ! c\nif (a != b)", "I = I if ( I != I ) ");
    assert_tokens(r, "plain", "(* a\n *) begin (* b *) end", "begin end ");
}

/* Imports are left out, but not lines that only begin like one. */
static void imports_are_no_tokens(void **state)
{
    run *r = *state;
    assert_tokens(r, "plain", "  import a.b.*; int c;\nuses crt\n#include <x>\nusing d;",
                  "int I ; ");
    assert_tokens(r, "plain", "using (a) b\nx = import c\npackage.d",
                  "using ( I ) I I = import I package . I ");
}

static void prose_is_words(void **state)
{
    run *r = *state;
    assert_tokens(r, "text", "The Cat\xE2\x80\x99s 2nd na\xC3\xAFve\n\xE4\xB8\xAD\xE6\x96\x87!",
                  "the cat s 2nd na\xC3\xAFve \xE4\xB8\xAD \xE6\x96\x87 ");
    check_spans(&r->code,
                LITERAL("The Cat\xE2\x80\x99s 2nd na\xC3\xAFve\n\xE4\xB8\xAD\xE6\x96\x87!"));
    assert_int_equal(r->code.tokens[5].line, 2);
    assert_int_equal(r->code.tokens[0].kind, TW_TOKEN_OTHER);
}

/* A form has at most 64 bytes, and ends with a whole character. */
static void long_words_are_cut_after_a_character(void **state)
{
    run *r = *state;
    char text[203];
    text[0] = 'x';
    for (size_t i = 1; i < 201; i += 2)
        memcpy(text + i, "\xC3\xA9", 2);
    tokens_of(r, "text", text, 201);
    assert_int_equal(r->code.count, 1);
    assert_int_equal(r->code.normal.length, 63 + 1);
    assert_int_equal(r->code.tokens[0].end, 201);
}

/* ---- parsed */

static const struct sample {
    const char *language, *text, *tokens;
} samples[] = {
    {"bash",
     "#!/bin/bash\n"
     "# c\n"
     "set -eu\n"
     "name=${1:-\"def ault\"}\n"
     "f() { local x=$((1 + 2)); for i in a b \"$name\" *.c; do [ -f \"$i\" ] && echo \"got $i $(ls "
     "-l | wc -l)\" >&2; done; }\n"
     "case $name in a|b) f 'x y' ;; *) exit 1 ;; esac\n"
     "cat <<EOF1\n"
     "text $name\n"
     "EOF1\n"
     "if [[ $x =~ ^a.*b$ ]]; then echo -n --long=$x; fi\n",
     "I I I = ${ N :- S } I ( ) { local I = $(( N + N )) ; for I in I I S $ I I ; do "
     "[ -f S $ I ] && I S $ I $ ( I I | I I ) >& N ; done ; } case $ I in I | I ) I "
     "S ;; * ) I N ;; esac I << I S $ I I if [[ $ I =~ S ]] ; then I I I $ I ; fi "},
    {"c",
     "#include <stdio.h>\n"
     "#include \"a.h\"\n"
     "#define MAX(a, b) ((a) > (b) ? (a) : (b)) /* c */\n"
     "#define EMPTY\n"
     "#ifdef X\n"
     "typedef struct node { unsigned long n; struct node *next; } node_t;\n"
     "#endif\n"
     "static int f(const char *s, size_t n) { for (int i = 0; i < n; i++) if (s[i] == '\\n') goto "
     "end; end: return L\"wide\"[0] + NULL; }\n",
     "#define I ( I , I ) ( ( I ) > ( I ) ? ( I ) : ( I ) ) #define I #ifdef I "
     "typedef struct I { unsigned long I ; struct I * I ; } I ; #endif static int I "
     "( const char * I , size_t I ) { for ( int I = N ; I < I ; I ++ ) if ( I [ I ] "
     "== S ) goto I ; I : return S [ N ] + NULL ; } "},
    {"cpp",
     "#include <vector>\n"
     "using namespace std;\n"
     "template <typename T> class Foo : public Bar<T> { public: virtual ~Foo() {} auto f() const "
     "-> int { return R\"(raw \"x\")\"[1'000]; } };\n"
     "int main() { std::vector<std::vector<int>> v; cout << \"a\" << endl; auto g = [&](int x) { "
     "return x; }; 5_km; }\n",
     "using namespace I ; template < typename I > class I : public I < I > { public : virtual ~ I "
     "( ) { "
     "} auto I ( ) const -> int { return S [ N ] ; } } ; int I ( ) { I :: I < I :: I "
     "< int > > I ; I << S << I ; auto I = [ & ] ( int I ) { return I ; } ; N I ; } "},
    {"csharp",
     "using System;\n"
     "#region Foo bar\n"
     "namespace N { public class A : B { public int X { get; set; } = 1;\n"
     "  string F(object o) => $\"x {o.Y:F2} y\" + @\"c:\\a\" + \"\"\"raw\"\"\" + 'c'; /// doc\n"
     "  var q = from s in list where s > 3m select s; } }\n"
     "#endregion\n",
     "#region I I namespace I { public class I : I { public int I { get ; set ; } = "
     "N ; string I ( object I ) => S { I . I : I } + S + S + S ; var I = from I in I "
     "where I > N select I ; } } #endregion "},
    {"go",
     "package main\n"
     "import (\"fmt\"; m \"math\")\n"
     "// c\n"
     "type T struct { X int `json:\"x\"`; c chan<- string }\n"
     "func (t *T) F(n int) (r float64, err error) {\n"
     "	for i, v := range xs { if v != nil { r += 1i; continue } }\n"
     "	defer fmt.Printf(\"%d\\n\", 'x', `raw`, iota); return r, err\n"
     "}\n",
     "package I type I struct { I I S ; I chan <- I } func ( I * I ) I ( I I ) ( I I "
     ", I I ) { for I , I := range I { if I != nil { I += N ; continue } } defer I . "
     "I ( S , S , S , iota ) ; return I , I } "},
    {"haskell",
     "{-# LANGUAGE X #-}\n"
     "module Main (main) where\n"
     "import qualified Data.Map as M\n"
     "-- | doc\n"
     "-- c\n"
     "data T a = A Int | B { f :: a } deriving (Show, Eq)\n"
     "g :: Int -> [a] -> Maybe Char\n"
     "g n (x:xs') | n > 1 = Just 'c' | otherwise = let y = \"s\" ++ show 1.5 in case xs' of { [] "
     "-> Nothing; _ -> g (n `div` 2) xs' }\n"
     "main = do { x <- getLine; print $ map (\\y -> y + 1) [1..3] }\n",
     "module I ( I ) where data I I = I I | I { I :: I } deriving ( I , I ) I :: I "
     "-> [ I ] -> I I I I ( I : I ) | I > N = I S | I = let I = S ++ I N in case I "
     "of { [ ] -> I ; _ -> I ( I ` I ` N ) I } I = do { I <- I ; I $ I ( \\ I -> I + "
     "N ) [ N .. N ] } "},
    {"java",
     "package a.b; // c\n"
     "public class Point<T> extends Base {\n"
     "    /* c */ private final int[] xs = {1, 2L, 0x3f, 1.5e3f};\n"
     "    @Override public String name(String s) { return \"a\\n\" + 'c' + s + \"\"\"\n"
     "      text block\"\"\"; }\n"
     "    boolean ok = true; Object o = null; void f() throws E { for (var x : xs) this.y += x >>> "
     "2; }\n"
     "}\n",
     "public class I < I > extends I { private final int [ ] I = { N , N , N , N } ; "
     "@ I public I I ( I I ) { return S + S + I + S ; } boolean I = true ; I I = "
     "null ; void I ( ) throws I { for ( I I : I ) this . I += I >>> N ; } } "},
    {"javascript",
     "#!/usr/bin/env node\n"
     "'use strict';\n"
     "// c\n"
     "const { a, b: c } = require('x'); /* c */\n"
     "let f = async (x, ...y) => `t ${x + `n ${y}`} u` + /re+/gi.test(x) \?\? null;\n"
     "class A extends B { #p = 1; get v() { return this.#p ** 2; } }\n",
     "S ; const { I , I : I } = I ( S ) ; let I = async ( I , ... I ) => S ${ I + S "
     "${ I } } + S . I ( I ) \?\? null ; class I extends I { I = N ; get I ( ) { "
     "return this . I ** N ; } } "},
    {"kotlin",
     "package a\n"
     "import b.c\n"
     "/* c */\n"
     "data class P(val x: Int = 1, private var y: String?) : Q() {\n"
     "    fun f(n: Long): Boolean { val s = \"a $n b ${n + 1L}\"; return when (n) { 1L -> true; in "
     "2..3 -> x!! > 0x1F; else -> y?.length ?: 'c' == 'd' } }\n"
     "}\n"
     "val t = \"\"\"raw\n"
     "text\"\"\"\n",
     "data class I ( val I : I = N , private var I : I ? ) : I ( ) { fun I ( I : I ) "
     ": I { val I = S ${ I + N } ; return when ( I ) { N -> true ; in N .. N -> I !! "
     "> N ; else -> I ?. I ?: S == S } } } val I = S "},
    {"lua",
     "#!/usr/bin/lua\n"
     "-- c\n"
     "--[[ long\n"
     "c ]]\n"
     "local function f(x, ...) for i = 1, #x do t[i] = x.y:m(\"s\", 's', [[raw]]) .. 0x1F end "
     "return not nil and true or x ~= 3 end\n"
     "goto l ::l::\n",
     "local function I ( I , ... ) for I = N , # I do I [ I ] = I . I : I ( S , S , "
     "S ) .. N end return not nil and true or I ~= N end goto I :: I :: "},
    {"ocaml",
     "(* c (* nested *) *)\n"
     "open Printf\n"
     "type 'a t = A | B of int * 'a | C of { x : float; mutable y : string }\n"
     "let rec f ?(k=1) ~l x = match x with | [] -> 0 | h :: t when h > 1 -> f t + k | _ -> (fun y "
     "-> y mod 2) 3\n"
     "let () = printf \"%d\\n\" (f [1; 2]) ; ignore 'c'; ignore `Tag; x.y <- {|raw|}\n"
     "module M = struct let z = 1.5 end\n",
     "type I I = I | I of I * I | I of { I : I ; mutable I : I } let rec I ? ( I = N "
     ") ~ I I = match I with | [ ] -> N | I :: I when I > N -> I I + I | I -> ( fun "
     "I -> I mod N ) N let ( ) = I S ( I [ N ; N ] ) ; I S ; I I ; I . I <- S module "
     "I = struct let I = N end "},
    {"php",
     "<html><?php\n"
     "// c\n"
     "# c\n"
     "namespace A\\B;\n"
     "function f(int $x, ?string $y = null): array { $s = \"a $x b {$y['k']} c\"; echo <<<EOT\n"
     "text $x more\n"
     "EOT;\n"
     "  return [1, 'b' => 2.5, TRUE]; }\n"
     "?>\n"
     "<p>bye now</p>\n",
     "< I > <?php namespace I \\ I ; function I ( int $ I , ? string $ I = null ) : "
     "array { $ I = S $ I $ I [ S ] ; echo S $ I ; return [ N , S => N , true ] ; } "
     "?> < I > I I < / I > "},
    {"python",
     "\"\"\"Doc.\"\"\"\n"
     "import os\n"
     "def area(r, *, pi=3.14):\n"
     "    'doc too'\n"
     "    # a comment\n"
     "    s = f\"r is {r!r:>{width}} and {pi}\" \"b\"\n"
     "    return r ** 2 * pi if r is not None else b'x' + 0x1F - 1e-3\n",
     "def I ( I , * , I = N ) : I = S { I !r : > { I } } { I } S return I ** N * I "
     "if I is not None else S + N - N "},
    {"r",
     "# c\n"
     "f <- function(x, n = 1L, ...) { y <- x[[\"a\"]]$b %in% c('s', TRUE, NA, 1e-3, 2i); if "
     "(is.null(y) && !n) return(y |> g(z = ~ a + b)) else repeat break }\n",
     "I <- function ( I , I = N , ... ) { I <- I [[ S ]] $ I %in% I ( S , TRUE , NA "
     ", N , N ) ; if ( I ( I ) && ! I ) I ( I |> I ( I = ~ I + I ) ) else repeat "
     "break } "},
    {"ruby",
     "# c\n"
     "require 'set'\n"
     "=begin\n"
     "c\n"
     "=end\n"
     "class Foo < Bar\n"
     "  attr_reader :name\n"
     "  CONST = %w[a b]\n"
     "  def go!(x, y: 1) = @z ||= \"a #{x + 1} b\"\n"
     "  def m; puts <<~T; x&.each { |e| yield e if e =~ /re/ }; end\n"
     "    text #{name}\n"
     "  T\n"
     "  nil.foo? ? :sym : { key: 'v', 'k' => ?c, $g => @@c }\n"
     "end\n",
     "I S class I < I I I I = %w[ S S ] def I ( I , I : N ) = I ||= S #{ I + N } def "
     "I ; I I ; I &. I { | I | yield I if I =~ S } ; end S #{ I } nil . I ? I : { I "
     ": S , S => S , I => I } end "},
    {"rust",
     "//! doc\n"
     "use std::collections::HashMap;\n"
     "/// doc\n"
     "#[derive(Debug)] pub struct A<'a, T: Clone> { x: &'a str, y: Vec<u8> }\n"
     "impl<'a> A<'a> { fn f(&mut self, n: i32) -> Option<f64> { let s = r#\"raw\"#; println!(\"{} "
     "{}\", n, b'c'); match n { 0..=9 => Some(1.0), _ => None } } }\n",
     "# [ I ( I ) ] pub struct I < ' I , I : I > { I : & ' I str , I : I < u8 > } "
     "impl < ' I > I < ' I > { fn I ( & mut self , I : i32 ) -> I < f64 > { let I = "
     "S ; I ! ( S , I , S ) ; match I { N ..= N => I ( N ) , _ => I } } } "},
    {"scala",
     "package a\n"
     "import b.{C, D => E}\n"
     "// c\n"
     "object M extends App { case class P[T](x: Int, y: Option[T] = None)\n"
     "  def f(n: Int): String = n match { case 0 | 1 => s\"a $n b ${n + 1}\"; case _ if n > 2 => "
     "\"\"\"raw\"\"\" + 'c' + 1.5f }\n"
     "  val xs = for (x <- 1 to 3; if x % 2 == 0) yield x :: Nil }\n",
     "package I object I extends I { case class I [ I ] ( I : I , I : I [ I ] = I ) "
     "def I ( I : I ) : I = I match { case N | N => S $ I $ { I + N } ; case _ if I "
     "> N => S + S + N } val I = for ( I <- N I N ; if I % N == N ) yield I :: I } "},
    {"sql",
     "-- c\n"
     "SELECT a.x, COUNT(*) AS n FROM tbl a LEFT JOIN \"B c\" b ON a.id = b.id WHERE a.y LIKE 'p%' "
     "AND z IN (1, 2.5) GROUP BY a.x HAVING COUNT(*) > 1 ORDER BY n DESC; /* c */\n"
     "create table t (id int primary key, name varchar(20) not null default 'x', f float(10), c "
     "char(3));\n",
     "select I . I , I ( * ) as I from I I left join I I on I . I = I . I where I . "
     "I like S and I in ( N , N ) group by I . I having I ( * ) > N order by I desc "
     "; create table I ( I int primary key , I varchar ( N ) not null default S , I "
     "float ( N ) , I char ( N ) ) ; "},
    {"swift",
     "import Foundation\n"
     "// c\n"
     "struct P: Equatable { let x: Int; var y: String? = nil\n"
     "  func f(_ n: Int, by k: Double = 1.5) throws -> Bool { guard let z = y else { return false "
     "}; let s = \"a \\(n + 1) b\"; for i in 0..<n where i % 2 == 0 { print(i, z, 0x1F) }; return "
     "x == n && !s.isEmpty } }\n"
     "let t = \"\"\"\n"
     " text\n"
     " \"\"\"\n",
     "struct I : I { let I : I ; var I : I ? = nil func I ( I I : I , I I : I = N ) "
     "throws -> I { guard let I = I else { return false } ; let I = S I + N ; for I "
     "in N ..< I where I % N == N { I ( I , I , N ) } ; return I == I && ! I . I } } "
     "let I = S "},
    {"tsx",
     "const A = ({ name }: Props) => <div className=\"a\" id={name}>Hello, big "
     "{name}!<br/></div>;\n",
     "const I = ( { I } : I ) => < I I = S I = { I } > S { I } S < I /> </ I > ; "},
    {"typescript",
     "interface P<T> { readonly x: number; y?: string | T; }\n"
     "type L = `a${string}`; enum E { A = 1 }\n"
     "function f(this: P<any>, x: unknown): x is string { return (x as string)!.length > 0; }\n",
     "interface I < I > { readonly I : number ; I ? : string | I ; } type I = S ${ "
     "string } ; enum I { I = N } function I ( this : I < any > , I : unknown ) : I "
     "is string { return ( I as string ) ! . I > N ; } "},
};

static void samples_of_every_language_are_parsed(void **state)
{
    run *r = *state;
    skip_without_grammars(r);
    for (size_t i = 0; i < COUNT(samples); i++) {
        const struct sample *s = &samples[i];
        print_message("           %s\n", s->language);
        assert_string_equal(tokens_of(r, s->language, s->text, strlen(s->text)), s->tokens);
        assert_false(r->code.lexed || r->code.unreliable);
        check_spans(&r->code, s->text, strlen(s->text));
    }
}

/* Line ends, a byte order mark and layout do not change tokens. */
static void layout_does_not_change_tokens(void **state)
{
    run *r = *state;
    char changed[4096];
    skip_without_grammars(r);
    for (size_t i = 0; i < COUNT(samples); i++) {
        const struct sample *s = &samples[i];
        size_t length = 3;
        memcpy(changed, "\xEF\xBB\xBF", 3);
        for (const char *c = s->text; *c; c++) {
            if (*c == '\n')
                changed[length++] = '\r';
            changed[length++] = *c;
            assert_true(length + 2 < sizeof changed);
        }
        print_message("           %s\n", s->language);
        assert_string_equal(tokens_of(r, s->language, changed, length), s->tokens);
        check_spans(&r->code, changed, length);
    }
}

/* Tokens do not change by the first things that students change by hand. */
static void usual_disguises_do_not_change_tokens(void **state)
{
    run *r = *state;
    char expected[256];
    skip_without_grammars(r);
    strcpy(expected, tokens_of(r, "java", LITERAL("class A { int f(int x) { return x + 1; } }")));
    assert_tokens(
        r, "java",
        "// mine\nclass Sum\n{\n\tint add( int number )\n\t{ /* so */ return number + 42; }}",
        expected);
    strcpy(expected, tokens_of(r, "python", LITERAL("def f(x):\n    return x + 'a'\n")));
    assert_tokens(r, "python",
                  "def g(y):\n\t\"\"\"Adds.\"\"\"\n\n\t# so\n\treturn y + \\\n\t\t\"b\"\n",
                  expected);
}

/* Redundant brackets are no tokens; brackets that group, call or hold a condition are. */
static void redundant_brackets_are_no_tokens(void **state)
{
    static const char *const cases[][3] = {
        {"c", "int f(int a) { int x = (a); x += ((2)); g((a), (b + c)); return (x); }",
         "int I ( int I ) { int I = I ; I += N ; I ( I , I + I ) ; return I ; } "},
        {"cpp", "int x[] = {(1), (2)}; auto y = (a + b) * (c);",
         "int I [ ] = { N , N } ; auto I = ( I + I ) * ( I ) ; "},
        {"java", "class A { void f() { if ((a)) x = ( /* so */ b ? (c) : d); while (a) i++; } }",
         "class I { void I ( ) { if ( I ) I = I ? ( I ) : I ; while ( I ) I ++ ; } } "},
        {"csharp", "class A { int F() { x = (int)(y); return (F(z: (1))); } }",
         "class I { int I ( ) { I = ( int ) ( I ) ; return I ( I : N ) ; } } "},
        {"python", "x = (a or\n    b)\nf((x), -(y))\nreturn (x)\nz = (1, 2)\n",
         "I = I or I I ( I , - ( I ) ) return I I = ( N , N ) "},
        {"javascript", "const f = (a) => (a); x = (a).b; g((x)); return (x);",
         "const I = ( I ) => ( I ) ; I = ( I ) . I ; I ( I ) ; return I ; "},
        {"go", "x := (a)\nreturn (a), f((b))\n", "I := I return I , I ( I ) "},
        {"rust", "fn f() { let x = (a); x += (b); return (g((x))); }",
         "fn I ( ) { let I = I ; I += I ; return I ( I ) ; } "},
        {"php", "<?php $x = ($a); f(($x)); return ($x);",
         "<?php $ I = $ I ; I ( $ I ) ; return $ I ; "},
        {"ruby", "x = (a)\nf((x))\n", "I = I I ( I ) "},
        {"kotlin", "val x = (a)\nf((x))\n", "val I = I I ( I ) "},
        {"scala", "val x = (a)\nf((x))\n", "val I = I I ( I ) "},
        {"lua", "local x = (a)\nf((x))\n", "local I = I I ( I ) "},
        {"ocaml", "let x = (a) in f (x)", "let I = I in I ( I ) "},
    };
    run *r = *state;
    skip_without_grammars(r);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *text = cases[i][1];
        print_message("           %s\n", cases[i][0]);
        assert_string_equal(tokens_of(r, cases[i][0], text, strlen(text)), cases[i][2]);
        check_spans(&r->code, text, strlen(text));
    }
}

static void tokens_are_names_literals_or_others(void **state)
{
    run *r = *state;
    static const uint8_t kinds[] = {TW_TOKEN_OTHER, TW_TOKEN_NAME, TW_TOKEN_OTHER, TW_TOKEN_LITERAL,
                                    TW_TOKEN_OTHER};
    assert_tokens(r, "c", "int a = 1;", "int I = N ; ");
    for (size_t i = 0; i < COUNT(kinds); i++)
        assert_int_equal(r->code.tokens[i].kind, kinds[i]);
}

/* A string's token ends at an interpolation, which has tokens of its own. */
static void interpolations_have_tokens_of_their_own(void **state)
{
    run *r = *state;
    skip_without_grammars(r);
    assert_tokens(r, "python", "a = f'bc {x} de {y}'", "I = S { I } { I } ");
    assert_int_equal(r->code.tokens[2].end, 9);
    assert_int_equal(r->code.tokens[4].start, 10);
}

/* ---- programs in strings */

/* A string that holds a program is replaced by the tokens of that program, which lie where they are
 * written. */
static void a_program_in_a_string_is_parsed(void **state)
{
    run *r = *state;
    static const char text[] =
        "exec(\"def area(width, height):\\n    return width * height + 17\\n\"\n"
        "     \"print(area(30, 40))\\n\")\nx = 1\n";
    skip_without_grammars(r);
    assert_tokens(r, "python", text,
                  "I ( def I ( I , I ) : return I * I + N I ( I ( N , N ) ) ) I = N ");
    const tw_code *code = &r->code;
    check_spans(code, text, strlen(text));
    assert_memory_equal(text + code->tokens[3].start, "area", 4);
    assert_int_equal(code->tokens[3].end - code->tokens[3].start, 4);
    assert_memory_equal(text + code->tokens[10].start, "return", 6);
    assert_memory_equal(text + code->tokens[16].start, "print", 5);
    assert_int_equal(code->tokens[15].line, 1);
    assert_int_equal(code->tokens[16].line, 2);
    assert_int_equal(code->tokens[code->count - 1].line, 3);
}

static void a_program_in_a_raw_string_is_parsed(void **state)
{
    run *r = *state;
    skip_without_grammars(r);
    assert_tokens(r, "cpp",
                  "auto kernel = R\"cl(#include <stdio.h>\nint main() { puts(\"a\\n\"); }\n"
                  "#define SOMETHING(x) f(x)\n)cl\";",
                  "auto I = int I ( ) { I ( S ) ; } #define I ( I ) I ( I ) ; ");
    assert_tokens(r, "go",
                  "var s = `function area(width, height) {\n  return width * height + 1700;\n}\n`",
                  "var I = function I ( I , I ) { return I * I + N ; } ");
}

/* Statements of SQL are recognised by their words, and may be joined of several strings. */
static void sql_in_strings_is_parsed(void **state)
{
    run *r = *state;
    skip_without_grammars(r);
    assert_tokens(r, "java",
                  "class A { String q = \"SELECT name, mark FROM students \" +\n"
                  "  \"WHERE mark > 3 AND course = 'maths' ORDER BY name\"; }",
                  "class I { I I = select I , I from I where I > N and I = S order by I ; } ");
}

/* Markup is words, as in a file of its own. */
static void markup_in_a_string_is_words(void **state)
{
    run *r = *state;
    assert_tokens(
        r, "plain",
        "x = \"<table class=\\\"Wide\\\"><tr><td>Name of the student</td></tr></table>\";",
        "I = table class wide tr td name of the student td tr table ; ");
}

/* No token stands before the string, or after it. */
static void a_string_alone_is_parsed(void **state)
{
    run *r = *state;
    assert_tokens(r, "plain",
                  "\"<ol><li>Read the numbers</li><li>Add them</li><li>Print the sum</li></ol>\"",
                  "ol li read the numbers li li add them li li print the sum li ol ");
}

/* Messages, short strings, and what does not parse stay one token. */
static void other_strings_are_one_token(void **state)
{
    run *r = *state;
    static const char *const strings[] = {
        "Please enter the numbers M and N, which must lie between 1 and 100 (inclusive):\\n",
        "for each of them:\\nselect one of the following, or enter 0 (zero) to leave this menu.",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=======",
        "http://example.org/a/long/path/with/many/parts/index.php?user=%s&password=%s",
        "def f(x):\\n    return x\\n",
        "Select the desired key above, and then the final key from the list on the right.",
        "Update your settings with care: the program does not ask before it has set them.",
        "<ASCII - Latin1>\\nAaBbCcDdEeFfGgHhIiJj 1234567890 #:+=(){}[] AaBbCcDdEeFfGgHhIiJj",
    };
    skip_without_grammars(r);
    for (size_t i = 0; i < COUNT(strings); i++) {
        char text[400];
        snprintf(text, sizeof text, "print(\"%s\")", strings[i]);
        assert_string_equal(tokens_of(r, "python", text, strlen(text)), "I ( S ) ");
    }
}

/* ---- programs that do not parse */

/* Text that a grammar cannot read keeps its tokens. */
static void unparsable_text_keeps_its_tokens(void **state)
{
    run *r = *state;
    skip_without_grammars(r);
    assert_tokens(r, "c", "int f( { return 1 +; } \x01 @ x", "int I ( { return N + ; } @ I ");
    assert_tokens(r, "java", "class A { int = ; foo bar baz ) }", "class I { int = ; I I I ) } ");
    assert_false(r->code.lexed);
}

static char *repeat(const char *unit, size_t times)
{
    size_t size = strlen(unit);
    char *text = malloc(size * times + 1);
    assert_non_null(text);
    for (size_t i = 0; i < times; i++)
        memcpy(text + i * size, unit, size);
    text[size * times] = '\0';
    return text;
}

static char *repeated_sample(const char *language)
{
    size_t i = 0;
    while (strcmp(samples[i].language, language) != 0)
        i++;
    return repeat(samples[i].text, 4);
}

/* A program with a wrong extension is read by the plain lexer, and flagged. */
static void a_wrong_extension_is_flagged(void **state)
{
    run *r = *state;
    static const char *const pairs[][2] = {{"java", "python"}, {"python", "java"}, {"go", "rust"}};
    skip_without_grammars(r);
    for (size_t i = 0; i < COUNT(pairs); i++) {
        char *text = repeated_sample(pairs[i][0]);
        tokens_of(r, pairs[i][1], text, strlen(text));
        assert_true(r->code.lexed && r->code.unreliable);
        check_spans(&r->code, text, strlen(text));
        free(text);
    }
}

#ifndef __SANITIZE_THREAD__ /* it takes most of the time, and has one thread */
static void check_repeated(run *r, const char *unit, size_t times, size_t every)
{
    char *text = repeat(unit, times);
    for (size_t i = 0; tw_language_at(i); i += every) {
        tokens_of(r, tw_language_name(tw_language_at(i)), text, strlen(text));
        check_spans(&r->code, text, strlen(text));
    }
    free(text);
}

static void deep_nesting_is_parsed_or_lexed(void **state)
{
    run *r = *state;
    static const char *const units[] = {"{", "[", "f(", "if(a){", "(*", "{-", "\"${", "<a>", ")"};
    check_repeated(r, "(", 100000, SANITIZED ? 7 : 3);
    for (size_t u = 0; u < COUNT(units); u++)
        check_repeated(r, units[u], SANITIZED ? 2000 : 10000, 1);
}
#endif

/* A program over the limit of parsing. */
static void large_programs_are_lexed(void **state)
{
    run *r = *state;
    char *text = repeat("var a=function(b,c){return b+c*\"x\"};", 100000);
    tokens_of(r, "javascript", text, strlen(text));
    assert_true(r->code.lexed && !r->code.unreliable);
    assert_int_equal(r->code.count, 1800000);
    free(text);
}

/* Samples and random bytes give equal tokens in a second run, in any language. */
static void any_bytes_have_the_same_tokens_twice(void **state)
{
    run *r = *state, again = {0};
    dice from = new_dice();
    print_seed();
    assert_int_equal(tw_coder_new(&again.coder), TWINSET_OK);
    for (size_t round = 0; round < (SANITIZED ? 200 : 500); round++) {
        char text[600];
        size_t length = 0, most = below(&from, sizeof text);
        while (length < most) {
            const char *sample = samples[below(&from, COUNT(samples))].text;
            size_t start = below(&from, strlen(sample)), size = below(&from, 40);
            for (size_t i = 0; i < size && sample[start + i] && length < most; i++)
                text[length++] = chance(&from, 2) ? (char)below(&from, 256) : sample[start + i];
        }
        size_t languages = 0;
        while (tw_language_at(languages))
            languages++;
        const char *language = tw_language_name(tw_language_at(below(&from, languages)));
        tw_coder_set_across(r->coder, true);
        tokens_of(r, language, text, length);
        check_spans(&r->code, text, length);
        tw_coder_set_across(r->coder, false);
        const char *forms = tokens_of(r, language, text, length);
        check_spans(&r->code, text, length);
        if (chance(&from, 50))
            assert_string_equal(tokens_of(&again, language, text, length), forms);
    }
    tw_code_free(&again.code);
    tw_coder_free(again.coder);
}

/* ---- memory, threads */

#ifdef TW_FAULTS
static void failed_allocations_are_reported(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(samples); i++) {
        const struct sample *s = &samples[i];
        int status = TWINSET_NOMEM;
        for (long long allowed = 0; status != TWINSET_OK; allowed++) {
            run r = {0};
            tw_faults_after(allowed);
            status = tw_coder_new(&r.coder);
            if (status == TWINSET_OK)
                status = tw_code_tokens(r.coder, language_named(s->language), s->text,
                                        strlen(s->text), &r.code);
            tw_faults_after(-1);
            assert_true(status == TWINSET_OK || status == TWINSET_NOMEM);
            tw_code_free(&r.code);
            tw_coder_free(r.coder);
        }
    }
}
#endif

/* ---- what languages have in common */

/* A function in several languages. */
static const struct {
    const char *language, *text, *tokens;
} translations[] = {
    {"python",
     "import math\n"
     "def top_two(values, limit=None):\n"
     "    \"\"\"The two largest.\"\"\"\n"
     "    first, second = values[0], -1\n"
     "    while first < 10 and not done(second):\n"
     "        # comment\n"
     "        second += math.sqrt(first) * 2\n"
     "        if second == 3 or first != None:\n"
     "            return [first, 'a']\n",
     "I function I I = null I I = I index N - N loop I < N and not I call I I += I call I * N "
     "if I == N or I != null return I S "},
    {"java",
     "import java.util.*;\n"
     "@Deprecated public static <T> List<T> topTwo(int[] values) {\n"
     "    int first = values[0], second = -1, third;\n"
     "    while (first < 10 && !done(second)) {\n"
     "        second += Math.sqrt(first) * 2; // comment\n"
     "        if (second == 3 || first != null) return \"a\";\n"
     "    }\n"
     "}\n",
     "I function I I = I index N I = - N loop I < N and not I call I I += I call I * N "
     "if I == N or I != null return S "},
    {"cpp",
     "#include <cmath>\nusing namespace std;\n"
     "static inline const int topTwo(const std::vector<int> &values)\n"
     "{\n"
     "    int third, first = values[0];\n"
     "    unsigned long long second = -1;\n"
     "    while (first < 10 && !done(second)) {\n"
     "        second += std::sqrt(first) * 2;\n"
     "        if (second == 3 || first != nullptr) return \"a\";\n"
     "    }\n"
     "}\n",
     "I function I I = I index N I = N loop I < N and not I call I I += I call I * N "
     "if I == N or I != null return S "},
    {"javascript",
     "function topTwo(values) {\n"
     "  let first = values[0], second = -1, third;\n"
     "  while (first < 10 && !done(second)) {\n"
     "    second += Math.sqrt(first) * 2;\n"
     "    if (second === 3 || first !== null) return `a`;\n"
     "  }\n"
     "}\n",
     "I function I I = I index N I = - N loop I < N and not I call I I += I call I * N "
     "if I == N or I != null return S "},
    {"go",
     "package main\n"
     "import \"math\"\n"
     "func topTwo(values []int) string {\n"
     "\tfirst := values[0]\n"
     "\tfor first < 10 && !done(second) {\n"
     "\t\tsecond += math.Sqrt(first) * 2\n"
     "\t\tif second == 3 || first != nil { return \"a\" }\n"
     "\t}\n"
     "}\n",
     "I function I I = I index N loop I < N and not I call I I += I call I * N "
     "if I == N or I != null return S "},
    {"csharp",
     "using System;\n"
     "class A { public static string TopTwo(int[] values) {\n"
     "    int first = values[0]; double second = -1;\n"
     "    while (first < 10 && !Done(second)) {\n"
     "        second += Math.Sqrt(first) * 2;\n"
     "        if (second == 3 || first != null) return \"a\";\n"
     "    }\n"
     "} }\n",
     "class I I function I I = I index N I = - N loop I < N and not I call I I += I call I * N "
     "if I == N or I != null return S "},
};

static void translations_have_common_forms(void **state)
{
    run *r = *state;
    skip_without_grammars(r);
    tw_coder_set_across(r->coder, true);
    for (size_t i = 0; i < COUNT(translations); i++) {
        const char *text = translations[i].text;
        size_t length = strlen(text);
        assert_string_equal(tokens_of(r, translations[i].language, text, length),
                            translations[i].tokens);
        check_spans(&r->code, text, length);
    }
}

/* A name before a dot has no token, unless other tokens stand between. */
static void names_before_a_dot_have_no_common_form(void **state)
{
    run *r = *state;
    skip_without_grammars(r);
    tw_coder_set_across(r->coder, true);
    assert_tokens(r, "java", "class A { void f() { this.in.close(); f(x).y = a[i].b; } }",
                  "class I I function I call I call I I = I index I I ");
    assert_tokens(r, "python", "self.total = other.total", "I = I ");
    assert_tokens(r, "cpp", "int main() { p->next->size++; }", "I function I += ");
    assert_tokens(r, "plain", "if (a) then b", "if ( I ) then I ");
}

static int parse_sample(void *context, unsigned worker, size_t index)
{
    run *runs = context;
    const struct sample *s = &samples[index % COUNT(samples)];
    tw_code *code = &runs[worker].code;
    int status = tw_code_tokens(runs[worker].coder, language_named(s->language), s->text,
                                strlen(s->text), code);
    bool is_equal = code->normal.length == strlen(s->tokens) &&
                    memcmp(code->normal.data, s->tokens, code->normal.length) == 0;
    return status == TWINSET_OK && !is_equal && !code->lexed ? TWINSET_USAGE : status;
}

static void threads_may_parse_at_once(void **state)
{
    (void)state;
    run runs[4] = {{0}};
    tw_loop loop = {.threads = COUNT(runs)};
    for (size_t i = 0; i < COUNT(runs); i++)
        assert_int_equal(tw_coder_new(&runs[i].coder), TWINSET_OK);
    assert_int_equal(tw_parallel(&loop, 10 * COUNT(samples), parse_sample, runs), TWINSET_OK);
    for (size_t i = 0; i < COUNT(runs); i++) {
        tw_code_free(&runs[i].code);
        tw_coder_free(runs[i].coder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_may_parse_at_once), /* first, before any grammar is loaded */
        cmocka_unit_test_setup_teardown(numbers_names_and_operators_are_lexed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(strings_are_lexed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(comments_are_no_tokens, set_up, tear_down),
        cmocka_unit_test_setup_teardown(imports_are_no_tokens, set_up, tear_down),
        cmocka_unit_test_setup_teardown(prose_is_words, set_up, tear_down),
        cmocka_unit_test_setup_teardown(long_words_are_cut_after_a_character, set_up, tear_down),
        cmocka_unit_test_setup_teardown(samples_of_every_language_are_parsed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(layout_does_not_change_tokens, set_up, tear_down),
        cmocka_unit_test_setup_teardown(usual_disguises_do_not_change_tokens, set_up, tear_down),
        cmocka_unit_test_setup_teardown(redundant_brackets_are_no_tokens, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tokens_are_names_literals_or_others, set_up, tear_down),
        cmocka_unit_test_setup_teardown(interpolations_have_tokens_of_their_own, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_program_in_a_string_is_parsed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_program_in_a_raw_string_is_parsed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sql_in_strings_is_parsed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(markup_in_a_string_is_words, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_string_alone_is_parsed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_strings_are_one_token, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unparsable_text_keeps_its_tokens, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_wrong_extension_is_flagged, set_up, tear_down),
        cmocka_unit_test_setup_teardown(translations_have_common_forms, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_before_a_dot_have_no_common_form, set_up, tear_down),
#ifndef __SANITIZE_THREAD__
        cmocka_unit_test_setup_teardown(deep_nesting_is_parsed_or_lexed, set_up, tear_down),
#endif
        cmocka_unit_test_setup_teardown(large_programs_are_lexed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(any_bytes_have_the_same_tokens_twice, set_up, tear_down),
#ifdef TW_FAULTS
        cmocka_unit_test(failed_allocations_are_reported),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
