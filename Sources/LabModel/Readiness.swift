/// The condition that ends a launch.
package enum Readiness: Hashable, Codable, Sendable {
  /// The target's process exits with status 0.
  case exit

  /// A line of a stream matches a POSIX extended regular expression.
  case output(stream: OutputStream, pattern: String)

  /// The target sends `READY=1` to the socket named by `NOTIFY_SOCKET`.
  case notify

  /// The target makes a launch mark of this name; one made with `launch_ready` is `ready`.
  case mark(name: String)

  /// A TCP port accepts a connection; `host` is a name or a numeric address.
  case tcp(host: String, port: Int)

  /// A Unix stream socket at a path accepts a connection.
  case unix(path: String)

  /// An HTTP GET is answered with a 2xx status; `path` starts with a slash.
  case http(host: String, port: Int, path: String)

  /// A file exists.
  case file(path: String)
}

/// One of the two output streams of a target.
package enum OutputStream: String, Codable, CaseIterable, Sendable {
  case stdout
  case stderr
}

extension Readiness: CustomStringConvertible {
  /// The condition as a phrase for people, such as `tcp 127.0.0.1:7379`.
  package var description: String {
    switch self {
    case .exit: "exit"
    case .output(let stream, let pattern): "\(stream.rawValue) matching \"\(pattern)\""
    case .notify: "sd_notify READY=1"
    case .mark(let name): "the launch mark \"\(name)\""
    case .tcp(let host, let port): "tcp \(Self.authority(host: host, port: port))"
    case .unix(let path): "unix socket \(path)"
    case .http(let host, let port, let path):
      "http://\(Self.authority(host: host, port: port))\(path)"
    case .file(let path): "file \(path)"
    }
  }

  private static func authority(host: String, port: Int) -> String {
    host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}
