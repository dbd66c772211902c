// MinilabKitTests
