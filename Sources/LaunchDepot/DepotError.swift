package import LaunchCore

/// Why a depot could not do what was asked for.
package enum DepotError: LabError, Equatable {
  /// The address has a password in it, so that it is not repeated here.
  case passwordInAddress

  /// The address cannot be understood, or names a service or parameter that is not known.
  case malformedAddress(address: String, reason: String)

  /// What was given is no address; it may have a password in it, and is not repeated.
  case noSuchAddress

  /// The depot has no run of what is asked for.
  case nothingThere(address: String, part: String)

  /// There is no `psql` in PATH.
  case noPsql

  /// The server cannot be reached, does not answer in time, is starting up, or has no connection
  /// left; the same may succeed later.
  case away(address: String, reason: String)

  /// The server does not let the user in: a wrong password, none, or no such user.
  case loginRefused(address: String, reason: String)

  /// The server has no such database.
  case noDatabase(address: String, reason: String)

  /// The user may not do this.
  case noRights(address: String, reason: String)

  /// The disk of the server has no space left.
  case full(address: String, reason: String)

  /// The server only reads, such as a standby.
  case readOnly(address: String)

  /// Another client held a lock for too long, or the server was too slow.
  case busy(address: String, reason: String)

  /// The database has no depot yet.
  case noDepot(address: String)

  /// The database has a schema `launchlab` that is no depot.
  case foreignSchema(address: String)

  /// A newer launchlab made the depot.
  case newerSchema(address: String, found: Int, supported: Int)

  /// The depot has to be migrated first.
  case olderSchema(address: String, found: Int, supported: Int)

  /// A run of the same host and id is stored with another digest.
  case otherContent(address: String, reason: String)

  /// The runs of two names interleave under one identity, as after cloning a disk.
  case clonedHost(address: String, reason: String)

  /// The host was pushed first by another login, which it belongs to.
  case otherLogin(address: String, reason: String)

  /// The depot knows no host of that name or identity, or several, or no such role.
  case cannotTrust(address: String, reason: String)

  /// What should be stored breaks a rule of the depot.
  case refused(address: String, rule: String)

  /// `psql` ended or answered as it should not.
  case oddAnswer(address: String, detail: String)

  package var diagnostics: [Diagnostic] {
    [Diagnostic(.error, id: id, problem: problem, place: place, remedy: remedy)]
  }

  package var exitCode: LabExitCode {
    switch self {
    case .passwordInAddress, .malformedAddress, .noSuchAddress, .cannotTrust: .usage
    default: .couldNotMeasure
    }
  }
}

// MARK: - Text

extension DepotError {
  private var id: String {
    switch self {
    case .passwordInAddress: "depot-password"
    case .malformedAddress, .noSuchAddress: "depot-address"
    case .nothingThere: "depot-empty"
    case .noPsql: "depot-no-psql"
    case .away: "depot-away"
    case .loginRefused: "depot-login"
    case .noDatabase: "depot-no-database"
    case .noRights: "depot-rights"
    case .full: "depot-full"
    case .readOnly: "depot-read-only"
    case .busy: "depot-busy"
    case .noDepot: "depot-missing"
    case .foreignSchema: "depot-foreign"
    case .newerSchema: "depot-newer"
    case .olderSchema: "depot-older"
    case .otherContent: "depot-other-content"
    case .clonedHost: "depot-cloned-host"
    case .otherLogin: "depot-other-login"
    case .cannotTrust: "depot-trust"
    case .refused: "depot-refused"
    case .oddAnswer: "depot-odd-answer"
    }
  }

  private var problem: String {
    switch self {
    case .passwordInAddress: "the address of the depot has a password in it"
    case .malformedAddress(_, let reason): "invalid address of a depot: \(reason)"
    case .noSuchAddress: "invalid address of a depot: it does not begin with postgresql://"
    case .nothingThere(_, let part): "the depot has no run\(part)"
    case .noPsql: "psql not found in PATH, needed to talk to the depot"
    case .away(_, let reason): "the depot cannot be reached: \(reason)"
    case .loginRefused(_, let reason): "the depot refuses the login: \(reason)"
    case .noDatabase(_, let reason): "the server has no such database: \(reason)"
    case .noRights(_, let reason): "the depot does not allow this: \(reason)"
    case .full(_, let reason): "no space is left for the depot: \(reason)"
    case .readOnly: "the depot is read-only"
    case .busy(_, let reason): "the depot is busy: \(reason)"
    case .noDepot: "the database has no depot"
    case .foreignSchema: "the database has a schema \"launchlab\" that is not a depot"
    case .newerSchema(_, let found, let supported):
      "the depot has schema version \(found), and this launchlab knows versions up to \(supported)"
    case .olderSchema(_, let found, let supported):
      "the depot has schema version \(found), and this launchlab uses version \(supported)"
    case .otherContent(_, let reason), .clonedHost(_, let reason), .otherLogin(_, let reason),
      .cannotTrust(_, let reason):
      reason
    case .refused(_, let rule): "the depot refuses the run: \(rule)"
    case .oddAnswer(_, let detail): "unexpected answer from the depot: \(detail)"
    }
  }

  private var place: String? {
    switch self {
    case .passwordInAddress, .noSuchAddress: nil
    case .noPsql: "PATH"
    case .malformedAddress(let address, _), .nothingThere(let address, _), .away(let address, _),
      .loginRefused(let address, _),
      .noDatabase(let address, _), .noRights(let address, _), .full(let address, _),
      .readOnly(let address), .busy(let address, _), .noDepot(let address),
      .foreignSchema(let address), .newerSchema(let address, _, _),
      .olderSchema(let address, _, _), .otherContent(let address, _),
      .clonedHost(let address, _), .otherLogin(let address, _), .cannotTrust(let address, _),
      .refused(let address, _), .oddAnswer(let address, _):
      address
    }
  }

  private var remedy: String? {
    switch self {
    case .passwordInAddress:
      "write the password to ~/.pgpass (mode 0600), or name a service of ~/.pg_service.conf with "
        + "`postgres://?service=NAME`"
    case .nothingThere: "send some with `launchlab push`, or see `launchlab depot check`"
    case .malformedAddress, .noSuchAddress:
      "write it as `postgres://USER@HOST/DATABASE`, or `postgres://?service=NAME`"
    case .noPsql: "install it with `apt-get install postgresql-client`"
    case .away(let address, _):
      "check the server with `pg_isready -d \(address.shellQuoted)`, and try again; nothing is lost"
    case .loginRefused:
      "check the user, its password in ~/.pgpass (mode 0600) and the server's pg_hba.conf"
    case .noDatabase: "create it on the server with `createdb`"
    case .noRights:
      "ask the owner of the depot for `GRANT launchlab_push TO user` or `GRANT launchlab_read TO "
        + "user`; to set up a depot, the user needs CREATE on the database"
    case .full: "free some space on the server, and try again; nothing is lost"
    case .readOnly: "name the primary server, or add `target_session_attrs=read-write`"
    case .busy: "try again; if it stays so, look at pg_stat_activity on the server"
    case .noDepot(let address): "make one with `launchlab depot init \(address.shellQuoted)`"
    case .foreignSchema: "name another database; nothing in this one was touched"
    case .newerSchema: "update launchlab; the depot was not touched"
    case .olderSchema(let address, _, _):
      "bring it up to date with `launchlab depot migrate \(address.shellQuoted)`"
    case .otherContent:
      "keep both files and find out which of them is right; the depot keeps the one that came first"
    case .clonedHost:
      "give the cloned host an identity of its own; for a host that got an earlier name back, choose a "
        + "new one"
    case .otherLogin(let address, _):
      "push with that login, or have the owner of the depot move the host with "
        + "`launchlab depot trust \(address.shellQuoted) HOST ROLE`"
    case .cannotTrust: "see the tables launchlab.host and launchlab.trust of the depot"
    case .refused: "report this as a bug of launchlab, with the run"
    case .oddAnswer(let address, _): "look for the cause with `psql -d \(address.shellQuoted)`"
    }
  }
}

extension String {
  /// The text as one word of a shell; addresses have `?` and `&` in them.
  fileprivate var shellQuoted: String {
    let needsNone = unicodeScalars.allSatisfy {
      $0.isASCII
        && ($0.properties.isAlphabetic || "0123456789-_./:@%+,=".unicodeScalars.contains($0))
    }
    return needsNone
      ? self
      : "'"
        + split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: "'\\''") + "'"
  }
}
