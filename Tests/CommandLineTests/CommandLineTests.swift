// CommandLineTests
