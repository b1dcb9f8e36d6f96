import ArgumentParser
import LabModel

/// The root command; it does nothing but name its subcommands.
struct Launchlab: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "launchlab",
    abstract: "Measure how long programs take to launch: after a reboot, after a reinstall, warm.",
    discussion: """
      Measure one program:
        launchlab measure --state reinstall-cold --state warm -- perl -e 0

      Write a scenario and run it every night:
        launchlab init && launchlab run scenario.yml

      Exit codes: 0 done, 1 regression or broken budget, 64 bad usage or scenario, \
      125 inconclusive, 128 could not measure, 130 interrupted.
      """,
    version: LaunchlabVersion.current,
    subcommands: [
      Run.self, Measure.self, Compare.self, Bisect.self, Report.self, Why.self, Ack.self,
      Stages.self, Mark.self, Files.self,
      History.self, Runs.self, Export.self, Import.self, Replay.self, Doctor.self, SelfTest.self,
      Restore.self, Allow.self, Init.self, Schema.self,
    ]
  )
}
