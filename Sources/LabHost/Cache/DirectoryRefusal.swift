import LabModel
import SystemPackage

/// Why nothing is written below a directory that a scenario declares.
package enum DirectoryRefusal: Hashable, Sendable {
  case missing

  case notADirectory

  case symbolicLink

  case mountPoint

  case systemDirectory

  case homeDirectory

  /// It lies directly in a home directory, as `.ssh` and `.cache` do.
  case homeEntry(String)

  /// It is, or lies in, a directory that a package manager keeps its own files in.
  case packageManager(String)

  /// By a mount it is, or lies in, a directory that is protected.
  case leadsTo(String)

  /// It is to be emptied, lies nowhere that is made for that, and nobody has allowed it.
  case notAllowed(String)

  /// A file that allows it to be emptied does not count; the reason is a sentence without a full
  /// stop.
  case badPermit(file: String, reason: String)

  /// It is, or holds, something that must stay; `what` is a phrase such as `the store`.
  case holds(what: String, path: String)

  /// It overlaps with the template that it is filled from.
  case overlapsTemplate(String)

  /// Files cannot be made or removed in it, or in a directory below.
  case notWritable(String)

  /// A file below belongs to somebody else, whose ownership a copy could not keep.
  case foreignOwner(file: String)

  /// A file below has further names, whose owners would lose it.
  case hardLinked(file: String)

  /// A file below is immutable or append-only.
  case locked(file: String)

  /// Something else is mounted below.
  case mountBelow(String)

  /// Its template holds what cannot be copied, such as a device.
  case specialFile(String)

  /// Directories are nested deeper than launchlab follows them.
  case tooDeep(String, limit: Int)

  var problem: String {
    switch self {
    case .missing: "it does not exist"
    case .notADirectory: "it is not a directory"
    case .symbolicLink: "it is a symbolic link"
    case .mountPoint: "it is a mount point"
    case .systemDirectory: "it belongs to the system"
    case .homeDirectory: "it is a home directory"
    case .homeEntry(let home): "it lies directly in the home directory \"\(home)\""
    case .packageManager(let path): "it belongs to a package manager (\(path))"
    case .leadsTo(let path): "by a mount it is \"\(path)\", which is protected"
    case .notAllowed:
      "it lies neither below the scenario's directory nor below a temporary one, and nobody has "
        + "allowed launchlab to empty it"
    case .badPermit(let file, let reason): "\"\(file)\" does not count: \(reason)"
    case .holds(let what, let path): "it holds \(what) \"\(path)\""
    case .overlapsTemplate(let path): "it overlaps with its template \"\(path)\""
    case .notWritable(let path): "\"\(path)\" cannot be written to"
    case .foreignOwner(let file): "\"\(file)\" belongs to another user"
    case .hardLinked(let file): "\"\(file)\" has several hard links"
    case .locked(let file): "\"\(file)\" is immutable or append-only"
    case .mountBelow(let path): "\"\(path)\" is a mount point"
    case .specialFile(let path): "\"\(path)\" of its template is a special file"
    case .tooDeep(let path, let limit): "\"\(path)\" lies deeper than \(limit) directories"
    }
  }

  var remedy: String {
    switch self {
    case .missing: "create it, or correct its path"
    case .notADirectory: "name the directory that holds it"
    case .symbolicLink: "name the directory that the link points at"
    case .mountPoint: "name a directory inside the mount"
    case .systemDirectory, .homeDirectory, .packageManager, .leadsTo, .holds:
      "use a directory of the target's own"
    case .homeEntry: "use a directory further down, which only the target uses"
    case .notAllowed(let path), .badPermit(let path, _):
      "move it below the scenario's directory, or allow it with `\(Self.allowing(path))`"
    case .overlapsTemplate: "keep the template outside the directory"
    case .notWritable: "run as root or as its owner, and where it is not mounted read-only"
    case .foreignOwner: "run as root, or as the owner of the installation"
    case .hardLinked(let file):
      "give it an inode of its own with `cp -p \(file) \(file).new && mv \(file).new \(file)`"
    case .locked(let file): "unlock it with `chattr -i -a \(file)`"
    case .mountBelow(let path): "unmount it with `umount \(path)`"
    case .specialFile(let path): "remove it with `rm \(path)`"
    case .tooDeep: "move the nested directories elsewhere"
    }
  }

  /// The command that allows a directory, or that of a permit, to be emptied.
  private static func allowing(_ path: String) -> String {
    let file = FilePath(path)
    let isPermit = file.lastComponent?.string == EmptyingPermit.name
    let directory = isPermit ? file.removingLastComponent() : file
    let isMissing = DeclaredDirectory.realPath(of: directory) == nil
    let word = directory.shellWord
    return (isMissing ? "mkdir -p \(word) && " : "") + "launchlab allow \(word)"
  }

  func diagnostic(role: DeclaredDirectory.Role, path: String) -> Diagnostic {
    Diagnostic(
      .error,
      id: "directory-refused",
      problem: "cannot use \"\(path)\" as \(role.phrase): \(problem)",
      place: path,
      remedy: remedy
    )
  }
}

extension FilePath {
  /// The path as a word of a POSIX shell.
  var shellWord: String {
    let isPlain = string.allSatisfy { character in
      character.isASCII
        && (character.isLetter || character.isNumber || "-_./+,:@%".contains(character))
    }
    return isPlain && !string.hasPrefix("-")
      ? string : "'" + string.replacing("'", with: #"'\''"#) + "'"
  }
}
