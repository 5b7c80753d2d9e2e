import { setTimeout as pause } from 'node:timers/promises';
import { delegate, edit, read, run } from './acting.ts';
import { PRICES_BEFORE, PRICES_ROUNDED } from './bakery.ts';
import type { ImageSession } from './sessions.ts';

/** A turn that takes time, for the picture of a trace: pauses of the model, a command, an approval and a worker. */
export const tracedSession: ImageSession = {
  title: 'Round prices to the nearest cent',
  minutesAgo: 4_000,
  left: 'archived',
  acts: [
    {
      prompt: 'Nearest cent, please: round all prices.',
      isApproved: true,
      play: async (stage, folder) => {
        const { output } = stage;
        await pause(700);
        await output.reasoning('The prices are in one module.');
        await pause(500);
        await read(stage, 'src/prices.js', 12);
        output.usage({ inputTokens: 4_200, outputTokens: 85, model: 'demo' });
        await pause(1_400);
        await edit(
          stage,
          { folder, path: 'src/prices.js', before: PRICES_BEFORE, after: PRICES_ROUNDED },
          true,
        );
        output.usage({ inputTokens: 9_100, outputTokens: 410, model: 'demo' });
        await pause(600);
        await run(stage, 'node --test');
        output.usage({ inputTokens: 14_800, outputTokens: 470, model: 'demo' });
        await pause(500);
        await delegate(stage, 'Check other places that round prices', async (worker) => {
          await pause(900);
          await worker.markdown('Only `src/prices.js` rounds.');
          worker.usage({ inputTokens: 2_600, outputTokens: 30, model: 'demo' });
        });
        await pause(700);
        await output.markdown('All prices are rounded to the nearest cent.');
        output.usage({ inputTokens: 21_000, outputTokens: 540, model: 'demo' });
      },
    },
  ],
};
