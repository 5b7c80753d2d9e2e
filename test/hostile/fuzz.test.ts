import { fuzzContract } from './fuzz/fuzz-contract.ts';

// The long run is in `fuzz.load.test.ts`.
fuzzContract({ invalid: 2_000, any: 3_000 });
