import fc from 'fast-check';

/**
 * Property tests try the same values in every run: one that fails, fails again. `npm run proof` draws a new seed.
 * fast-check names the seed of a failure; `PROPERTY_SEED=17 npx vitest run …` repeats it.
 */
fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 1) });
