// The stand-in model in a process of its own, so that a slow answer without a reader ends with the process. Prints its URL and runs until
// its stdin closes.
import { startStandInModel } from './stand-in-model.ts';

process.stdout.write(`${await startStandInModel()}\n`);
process.stdin.on('end', () => process.exit()).resume();
