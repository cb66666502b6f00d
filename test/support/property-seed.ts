import fc from 'fast-check';

/** Property tests try the same values in every run: one that fails, fails again. `PROPERTY_SEED=17` tries others. */
fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 1) });
