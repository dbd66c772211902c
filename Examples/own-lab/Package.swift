// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

let kit = Target.Dependency.product(name: "MinilabKit", package: "minilab")
let host = Target.Dependency.product(name: "MinilabHost", package: "minilab")
let builtin = Target.Dependency.product(name: "MinilabOperations", package: "minilab")

/// A folder with one operation, in a module that may not have its type's name.
func operation(_ folder: String) -> Target {
  .target(
    name: "\(folder)Operation",
    dependencies: [kit],
    path: folder,
    swiftSettings: strict
  )
}

func tests(_ folder: String) -> Target {
  .testTarget(
    name: "\(folder)OperationTests",
    dependencies: [.byName(name: "\(folder)Operation"), kit, host],
    path: "\(folder)Tests",
    swiftSettings: strict
  )
}

let package = Package(
  name: "own-lab",
  dependencies: [.package(name: "minilab", path: "../..")],
  targets: [
    operation("AutoBright"),
    operation("Inbox"),
    operation("Sharpest"),
    operation("Tint"),
    operation("Trim"),
    tests("AutoBright"),
    tests("Inbox"),
    tests("Sharpest"),
    tests("Tint"),
    tests("Trim"),
    .executableTarget(
      name: "own-lab",
      dependencies: [
        "AutoBrightOperation", "InboxOperation", "SharpestOperation", "TintOperation",
        "TrimOperation", kit, host, builtin,
      ],
      path: "lab",
      swiftSettings: strict
    ),
  ],
  swiftLanguageModes: [.v6]
)
