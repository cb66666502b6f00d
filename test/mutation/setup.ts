import fc from 'fast-check';

// A property that fails has found the mutant: smaller examples would only take time.
fc.configureGlobal({ seed: 1, endOnFailure: true });
