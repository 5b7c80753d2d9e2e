import { fuzzContract } from './fuzz/fuzz-contract.ts';

fuzzContract({ handshakes: 2_000, invalid: 50_000, any: 50_000 });
