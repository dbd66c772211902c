// Only for the search path that pkg-config tells: FakeCamera includes what it needs itself.
