// MinilabHostTests
