"""Which lexer of Pygments highlights a file, by its name: a fixed table, so that looking it up imports nothing."""

from typing import Final

import msgspec


class LexerName(msgspec.Struct, frozen=True):
    """A module of `pygments.lexers`, and a class in it."""

    module: str
    name: str


_LANGUAGES: Final = """
    python:PythonLexer py pyi pyw pyx SConstruct
    javascript:JavascriptLexer js mjs cjs jsx
    javascript:TypeScriptLexer ts tsx mts cts
    javascript:CoffeeScriptLexer coffee
    data:JsonLexer json jsonl geojson webmanifest ipynb lock
    data:YamlLexer yaml yml
    html:HtmlLexer html htm xhtml vue svelte
    html:XmlLexer xml svg xsd xsl xslt rss atom plist csproj pom
    css:CssLexer css
    css:ScssLexer scss
    css:SassLexer sass
    css:LessCssLexer less
    c_cpp:CLexer c h
    c_cpp:CppLexer cpp cc cxx hpp hh hxx ino
    dotnet:CSharpLexer cs
    dotnet:FSharpLexer fs fsx
    dotnet:VbNetLexer vb
    jvm:JavaLexer java
    jvm:KotlinLexer kt kts
    jvm:ScalaLexer scala sbt
    jvm:GroovyLexer groovy gradle Jenkinsfile
    jvm:ClojureLexer clj cljs edn
    go:GoLexer go
    rust:RustLexer rs
    ruby:RubyLexer rb rake gemspec ru Gemfile Rakefile Vagrantfile Guardfile
    php:PhpLexer php phtml
    perl:PerlLexer pl pm
    scripting:LuaLexer lua
    shell:BashLexer sh bash zsh ksh .bashrc .profile .zshrc PKGBUILD
    shell:PowerShellLexer ps1 psm1
    shell:BatchLexer bat cmd
    sql:SqlLexer sql
    markup:MarkdownLexer md markdown mdown
    markup:RstLexer rst
    markup:TexLexer tex sty cls
    configs:TOMLLexer toml
    configs:IniLexer ini cfg .gitconfig .editorconfig desktop service
    configs:PropertiesLexer properties
    configs:TerraformLexer tf tfvars hcl
    configs:DockerLexer Dockerfile Containerfile dockerfile
    configs:NginxConfLexer nginx
    make:MakefileLexer mk Makefile makefile GNUmakefile
    make:CMakeLexer cmake CMakeLists.txt
    diff:DiffLexer diff patch
    objective:SwiftLexer swift
    objective:ObjectiveCLexer m mm
    haskell:HaskellLexer hs
    ml:OcamlLexer ml mli
    erlang:ElixirLexer ex exs
    erlang:ErlangLexer erl hrl
    r:SLexer r R
    julia:JuliaLexer jl
    javascript:DartLexer dart
    nix:NixLexer nix
    dsls:ProtoBufLexer proto
    graphql:GraphQLLexer graphql gql
    asm:GasLexer s S asm
    lisp:EmacsLispLexer el
    lisp:CommonLispLexer lisp cl
    lisp:SchemeLexer scm ss
    fortran:FortranLexer f90 f95 f03
    d:DLexer d
    hdl:VerilogLexer v
    hdl:SystemVerilogLexer sv svh
    hdl:VhdlLexer vhd vhdl
    templates:HtmlDjangoLexer jinja j2 jinja2
"""


def _table() -> dict[str, LexerName]:
    table: dict[str, LexerName] = {}
    for line in _LANGUAGES.split("\n"):
        lexer, *names = line.split() or [":"]
        module, _, name = lexer.partition(":")
        table |= dict.fromkeys(names, LexerName(module, name))
    return table


LEXERS: Final = _table()
"""The lexers by the whole name of a file, or by what follows its last dot."""


def lexer_of(path: str) -> LexerName | None:
    """The lexer of a file, if there is one for its name."""
    name = path.rpartition("/")[2]
    return LEXERS.get(name) or LEXERS.get(name.rpartition(".")[2]) or LEXERS.get(name.rpartition(".")[2].lower())


_LANGUAGE_ALIASES: Final = {
    "python": "py", "python3": "py", "javascript": "js", "typescript": "ts", "ruby": "rb", "rust": "rs", "golang": "go",
    "c++": "cpp", "c#": "cs", "csharp": "cs", "f#": "fs", "kotlin": "kt", "shell": "sh", "perl": "pl", "haskell": "hs",
    "elixir": "ex", "erlang": "erl", "julia": "jl", "clojure": "clj", "powershell": "ps1", "objective-c": "m",
    "latex": "tex", "markdown": "md", "makefile": "mk", "terraform": "tf", "protobuf": "proto", "jinja2": "jinja",
}  # fmt: skip
"""The names of languages that authors use, where they are not the end of a file name."""


def lexer_for_language(language: str) -> LexerName | None:
    """The lexer of a language as the author of a text calls it: `python`, `sh`, `c++`."""
    name = language.strip().lower().partition(" ")[0]
    return LEXERS.get(_LANGUAGE_ALIASES.get(name, name)) if len(name) < 20 else None
