import { fuzzContract } from './fuzz/fuzz-contract.ts';

// The long run is in `fuzz.load.test.ts`.
fuzzContract({ invalid: 500, any: 1_000 });
