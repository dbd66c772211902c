import MinilabKit
import TestSupport
import Testing

@Suite("The command line: usage")
struct UsageTests {
  @Test(
    "a command line that says nothing doable is one line on standard error, and status 2",
    arguments: [
      ([], "minilab: no command (see minilab --help)"),
      (["rn"], "minilab: unknown command \"rn\" (did you mean \"run\"?)"),
      (["frobnicate"], "minilab: unknown command \"frobnicate\" (see minilab --help)"),
      (["--versoin"], "minilab: unknown option --versoin (did you mean --version?)"),
      (["-x", "run"], "minilab: unknown option -x (see minilab --help)"),
      (["check"], "minilab check: no PROFILE"),
      (["preview"], "minilab preview: no PROFILE"),
      (["preveiw"], "minilab: unknown command \"preveiw\" (did you mean \"preview\"?)"),
      (["run"], "minilab run: no PROFILE"),
      (["run", "web", "photos"], "minilab run: no folder for the results: -o OUT"),
      (["run", "web", "-o", "out"], "minilab run: no INPUT: a folder or a file"),
      (["run", "web", "photos", "-o"], "minilab run: missing argument for -o"),
      (
        ["run", "web", "photos", "-o", "out", "--jbos", "3"],
        "minilab run: unknown option --jbos (did you mean --jobs?)"
      ),
      (
        ["run", "web", "photos", "-o", "out", "--jobs", "0"],
        "minilab run: --jobs: expected a whole number from 1, found \"0\""
      ),
      (
        ["run", "web", "photos", "-o", "out", "-j", "many"],
        "minilab run: --jobs: expected a whole number from 1, found \"many\""
      ),
      (
        ["run", "web", "photos", "-oout", "-jmany"],
        "minilab run: --jobs: expected a whole number from 1, found \"many\""
      ),
      (
        ["run", "web", "photos", "-o", "-j3", "--jobs", "-o4"],
        "minilab run: --jobs: expected a whole number from 1, found \"-o4\""
      ),
      (["run", "web", "-oout", "--", "-jx", ""], "minilab run: an argument is empty"),
      (["ops", "crop", "orient"], "minilab ops: more than one NAME"),
      (
        ["ops", "crp"],
        "minilab ops: no operation \"crp\": expected a name (did you mean \"crop\"?)"
      ),
      (
        ["ops", "--markdown", "crop"],
        "minilab ops: --markdown takes no NAME and no --json: it is one page"
      ),
    ]
  )
  func faults(arguments: [String], message: String) throws {
    let result = try Program.minilab.run(arguments.map { Path($0) })
    #expect(result.errorText == message + "\n")
    #expect(result.outputText == "")
    #expect(result.status == 2)
  }

  @Test("an argument that is no UTF-8 is shown escaped, on one line")
  func bytes() throws {
    let result = try Program.minilab.run([Path(bytes: [0x61, 0xff, 0x0a, 0x1b])])
    #expect(
      result.errorText == "minilab: unknown command \"a\\xff\\n\\x1b\" (see minilab --help)\n"
    )
    #expect(result.status == 2)
  }

  @Test(
    "the version is told at the top and by every command",
    arguments: [
      ["--version"], ["run", "--version"], ["check", "--version"], ["ops", "--version"],
      ["preview", "--version"],
    ]
  )
  func version(arguments: [String]) throws {
    let result = try Program.minilab.run(arguments.map { Path($0) })
    #expect(result.outputText == "minilab 0.1.0\n")
    #expect(result.errorText == "")
    #expect(result.status == 0)
  }

  @Test("--help lists the commands people use")
  func help() throws {
    let result = try Program.minilab.run("--help")
    #expect(
      result.outputText == """
        Usage:
          minilab [OPTION…] COMMAND …

        A photo lab without a desktop: runs profiles over folders of pictures.

        Commands:
          check    Show every error of profiles, with its place
          devices  Show the cameras with their formats, sizes and controls
          ops      List the operations, or show one of them in full
          preview  Show what each step of a profile does to a picture, on one sheet
          prune    Remove results whose input, or whose output in the profile, is gone
          run      Run a profile over folders and files
          status   Say what a folder of results holds, and what failed in the last run

        Each command has a --help of its own.

        Options:
          -h, --help     Show this help
          --version      Show the version


        """
    )
    #expect(result.status == 0)
  }

  @Test("--help of a command shows its options, wherever it stands")
  func commandHelp() throws {
    let result = try Program.minilab.run("run", "web", "--help")
    #expect(result.outputText.hasPrefix("Usage:\n  minilab run [OPTION…] PROFILE [INPUT…]\n"))
    for option in [
      "-o, --output=OUT", "-j, --jobs=N", "--dry-run", "--force", "--set=KEY=VALUE", "--json",
      "--quiet", "--fail-fast", "-h, --help", "--version",
    ] {
      #expect(result.outputText.contains(option), "\(option)")
    }
    #expect(result.status == 0)
    #expect(try Program.minilab.run("run", "-h") == result)
  }

  @Test("the help does not change with the locale")
  func locale() throws {
    let german = ["LANG": "de_DE.UTF-8", "LC_ALL": "de_DE.UTF-8", "LANGUAGE": "de"]
    #expect(
      try Program.minilab.run("--help", environment: german) == Program.minilab.run("--help")
    )
  }

  @Test("an error of the profile or of --set starts nothing")
  func setFault() throws {
    let folder = try ScratchFolder()
    try folder.write("profile = 1\n[[step]]\nop = 'crop'\naspect = '1:1'\n", to: "a.toml")
    try folder.write("no picture", to: "in/a.txt")
    let result = try Program.minilab.run(
      "run",
      "a.toml",
      "in",
      "-o",
      "out",
      "--set",
      "crop.gravty=north",
      in: folder.path
    )
    #expect(
      result.errorText
        == "--set crop.gravty=north: crop: expected a known key (did you mean \"gravity\"?), "
        + "found \"gravty\"\n"
    )
    #expect(result.outputText == "")
    #expect(result.status == 2)
    #expect(throws: SystemFailure.self) {
      try contents(of: folder.path.appending("out"))
    }
  }

  @Test("an answer that cannot be written whole is told, and the status is not 0")
  func fullDevice() throws {
    let program = try Program.minilab
    let result = try Program(Path("/bin/sh")).run(
      "-c",
      "\"$0\" ops > /dev/full",
      program.path.shown
    )
    #expect(result.errorText == "minilab: standard output cannot be written: the disk is full\n")
    #expect(result.status == 1)
  }
}
