"""Everything that speaks SQL: the pool, the migrations, one module per table family, the journal."""
