/// The tables of a ledger.
enum LedgerSchema {
  /// "MLab": what a file of ours says of itself.
  static let application = 0x4d4c_6162
  /// Raise it with every change of the tables, and of what their values mean.
  static let version = 3

  /// Paths are bytes, times of files nanoseconds since 1970, other times seconds since 1970, digests
  /// the first 16 bytes of SHA-256, and lists JSON.
  static let tables = """
    CREATE TABLE run (
      id INTEGER PRIMARY KEY, started INTEGER NOT NULL, ended INTEGER, boot TEXT NOT NULL,
      profile BLOB NOT NULL, arguments TEXT NOT NULL, done INTEGER NOT NULL DEFAULT 0,
      failed INTEGER NOT NULL DEFAULT 0, skipped INTEGER NOT NULL DEFAULT 0
    );
    CREATE TABLE root (id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE);
    CREATE TABLE recipe (
      id INTEGER PRIMARY KEY, key BLOB NOT NULL, profile BLOB NOT NULL, output TEXT NOT NULL,
      UNIQUE (key, profile, output)
    );
    CREATE TABLE unit (
      id INTEGER PRIMARY KEY, root INTEGER NOT NULL, path BLOB NOT NULL,
      size INTEGER, modified INTEGER, changed INTEGER, digest BLOB, members INTEGER NOT NULL,
      reason TEXT, notes TEXT, seconds REAL NOT NULL, made INTEGER NOT NULL, sum INTEGER
    );
    CREATE TABLE member (
      unit INTEGER NOT NULL, place INTEGER NOT NULL, root INTEGER NOT NULL, path BLOB NOT NULL,
      size INTEGER, modified INTEGER, changed INTEGER, digest BLOB, PRIMARY KEY (unit, place)
    ) WITHOUT ROWID;
    CREATE TABLE output (
      path BLOB PRIMARY KEY, state INTEGER NOT NULL, unit INTEGER NOT NULL,
      recipe INTEGER NOT NULL, run INTEGER NOT NULL, claim INTEGER,
      size INTEGER, modified INTEGER, changed INTEGER, digest BLOB, previous BLOB,
      width INTEGER, height INTEGER, format TEXT, pages INTEGER, crop TEXT,
      sum INTEGER
    ) WITHOUT ROWID;
    CREATE INDEX claimed ON output (claim) WHERE claim IS NOT NULL;
    CREATE TABLE failure (
      root INTEGER NOT NULL, path BLOB NOT NULL, others INTEGER NOT NULL, code TEXT NOT NULL,
      step TEXT, expected TEXT NOT NULL, received TEXT NOT NULL, PRIMARY KEY (root, path)
    ) WITHOUT ROWID;
    CREATE TABLE layout (
      profile BLOB NOT NULL, output TEXT NOT NULL, layout BLOB NOT NULL, PRIMARY KEY (profile, output)
    ) WITHOUT ROWID;
    CREATE TABLE orphan (path BLOB PRIMARY KEY, recipe INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE header (
      root INTEGER NOT NULL, path BLOB NOT NULL, size INTEGER NOT NULL, modified INTEGER NOT NULL,
      changed INTEGER NOT NULL, inode INTEGER NOT NULL, key BLOB NOT NULL, told TEXT NOT NULL,
      sum INTEGER NOT NULL, PRIMARY KEY (root, path)
    ) WITHOUT ROWID;
    CREATE TABLE mark (name TEXT PRIMARY KEY) WITHOUT ROWID;
    """
}
