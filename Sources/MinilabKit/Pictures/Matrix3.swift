/// Three by three numbers: what turns one space of light into another.
struct Matrix3 {
  let rows: [[Double]]

  init(rows: [[Double]]) {
    precondition(rows.count == 3 && rows.allSatisfy { $0.count == 3 }, "three rows of three")
    self.rows = rows
  }

  init(columns first: [Double], _ second: [Double], _ third: [Double]) {
    self.init(rows: (0..<3).map { [first[$0], second[$0], third[$0]] })
  }

  func column(_ index: Int) -> [Double] { rows.map { $0[index] } }

  static func * (matrix: Matrix3, vector: [Double]) -> [Double] {
    matrix.rows.map { row in zip(row, vector).reduce(0) { $0 + $1.0 * $1.1 } }
  }

  static func * (left: Matrix3, right: Matrix3) -> Matrix3 {
    Matrix3(columns: left * right.column(0), left * right.column(1), left * right.column(2))
  }

  var determinant: Double {
    zip(rows[0], cofactors[0]).reduce(0) { $0 + $1.0 * $1.1 }
  }

  /// By Cramer's rule; not to be asked where the determinant is 0.
  var inverse: Matrix3 {
    let all = determinant
    return Matrix3(rows: (0..<3).map { row in cofactors.map { $0[row] / all } })
  }

  private var cofactors: [[Double]] {
    (0..<3).map { row in
      (0..<3).map { column in
        let (up, down) = ((row + 1) % 3, (row + 2) % 3)
        let (left, right) = ((column + 1) % 3, (column + 2) % 3)
        return rows[up][left] * rows[down][right] - rows[up][right] * rows[down][left]
      }
    }
  }
}
