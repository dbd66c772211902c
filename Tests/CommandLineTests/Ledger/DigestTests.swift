import Foundation
import Glibc
import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

@Suite("Digests in a ledger")
struct DigestTests {
  let room: Darkroom

  init() throws {
    room = try Darkroom()
    try room.paint("a.tif", seed: 1)
  }

  @Test("The digests of inputs and outputs are those that another program tells")
  func another() throws {
    #expect(try room.run().status == 0)
    func oracle(_ name: String) throws -> String {
      let result = try Program(Path("/usr/bin/sha256sum")).run(room.path(name).shown)
      return String(result.outputText.prefix(32))
    }
    var told: [String: String] = [:]
    try room.withLedger { database in
      try database.each(
        "SELECT 'in/' || path, digest FROM unit UNION SELECT 'out/' || path, digest FROM output"
      ) { row in
        told[row.text(0)] = ContentDigest(bytes: row.bytes(1))?.description
      }
    }
    #expect(told.keys.sorted() == ["in/a.tif", "out/a-large.png", "out/small/a.webp"])
    for (name, digest) in told { #expect(try digest == oracle(name), "\(name)") }
  }

  /// A file that allows certified code alone, of which there is none here: OpenSSL would have no SHA-256.
  @Test("What the environment names as the configuration of OpenSSL is not read")
  func configuration() throws {
    let file = try room.scratch.write(
      """
      openssl_conf = start
      [start]
      alg_section = algorithms
      [algorithms]
      default_properties = fips=yes
      """,
      to: "openssl.cnf"
    )
    let result = try room.scratch.minilab(
      ["run", "./profile.toml", "in", "-o", "out", "--json", "--quiet"],
      environment: ["OPENSSL_CONF": file.shown]
    )
    #expect(result.status == 0, "\(result.errorText)")
    #expect(try Darkroom.run(result).items == ["a.tif": "done new a-large.png small/a.webp"])
  }
}
