import { fuzzContract } from './fuzz/fuzz-contract.ts';

// The long run is in `fuzz.load.test.ts`.
fuzzContract({ handshakes: 300, invalid: 500, any: 1_000 });
