// The sessions of the pictures, oldest first.
import { AgentError } from '@agenthost/host/agent';
import { type Act, edit, forever, plan, read, run } from './acting.ts';
import { mainChat } from './main-chat.ts';

/** A session of the board. */
export interface ImageSession {
  readonly title: string;
  /** Age of its last change. */
  readonly minutesAgo: number;
  readonly acts: readonly Act[];
  /** How it is left: its last turn never ends (`open`), or ends and is read or not, or archived. */
  readonly left: 'open' | 'read' | 'unread' | 'archived';
  /** Folder below the home of the person. Default `bakery`. */
  readonly project?: string;
}

const answered = (prompt: string, answer: string): Act => ({
  prompt,
  play: async ({ output }) => output.markdown(answer),
});

/** A session for each state that the board shows. */
export const sessions: readonly ImageSession[] = [
  {
    title: 'Move the oven timers to the new clock',
    minutesAgo: 4_100,
    left: 'archived',
    acts: [answered('Move the oven timers to the new clock.', 'All five timers use `clock.now()`.')],
  },
  {
    title: 'Rename the columns of the supplier import',
    minutesAgo: 1_560,
    left: 'read',
    acts: [
      answered(
        'Rename the columns of the supplier import.',
        'The import reads the new names, and the old ones too.',
      ),
    ],
  },
  {
    title: 'How are leftovers counted?',
    minutesAgo: 310,
    left: 'read',
    acts: [
      answered(
        'How are leftovers counted?',
        'Every evening the till subtracts what was sold from what was baked.',
      ),
    ],
  },
  {
    title: 'Opening hours on public holidays',
    minutesAgo: 190,
    left: 'read',
    project: 'website',
    acts: [
      answered(
        'Opening hours on public holidays are wrong.',
        'The calendar lacked Easter Monday. It is there now.',
      ),
    ],
  },
  {
    title: 'Why is the Sunday order late?',
    minutesAgo: 42,
    left: 'unread',
    acts: [
      answered(
        'Why is the Sunday order late?',
        'The job runs at 04:00 UTC, which is 06:00 in summer. I suggest the time zone of the shop.',
      ),
    ],
  },
  {
    title: 'Update the payment library',
    minutesAgo: 25,
    left: 'unread',
    project: 'website',
    acts: [
      {
        prompt: 'Update the payment library.',
        play: async (stage) => {
          await read(stage, 'package.json', 6);
          await stage.output.markdown(
            'Version 5 renames two calls that the shop uses. I begin with the checkout.',
          );
          throw new AgentError(
            'rateLimited',
            'The model refused the request: too many requests, try again in 20 s',
          );
        },
      },
    ],
  },
  {
    title: 'Speed up the product search',
    minutesAgo: 12,
    left: 'unread',
    project: 'website',
    acts: [
      answered(
        'Speed up the product search.',
        'Searches take 9 ms instead of 240 ms: the names are indexed once at the start.',
      ),
    ],
  },
  {
    title: 'Tests for the order form',
    minutesAgo: 6,
    left: 'open',
    acts: [
      {
        prompt: 'Tests for the order form are missing. Please write some.',
        play: async (stage) => {
          stage.output.activity('Runs the tests in watch mode');
          await plan(stage, ['List the fields', 'Test each rule', 'Run the tests'], 2);
          await stage.output.markdown(
            'There are rules for **four fields**. I run the tests while I write them.\n\n',
          );
          await run(stage, 'node --test; echo; echo "Waiting for changes…"; sleep 100000');
        },
      },
    ],
  },
  {
    title: 'Translate the menu into French and Arabic',
    minutesAgo: 4,
    left: 'open',
    project: 'website',
    acts: [
      {
        prompt: 'Translate the menu into French and Arabic.',
        play: async (stage) => {
          stage.output.activity('Translates 14 of 31 names');
          await stage.output.markdown(
            'The menu has 31 names. French is finished:\n\n- Rye loaf: *pain de seigle*\n- Seeded roll: *petit pain aux graines*\n\nArabic comes next:\n\n- Rye loaf: خبز الجاودار\n- Cinnamon bun: كعكة القرفة',
          );
          await forever(stage);
        },
      },
    ],
  },
  {
    title: 'Plan the delivery rounds',
    minutesAgo: 3,
    left: 'open',
    acts: [
      {
        prompt: 'Plan the delivery rounds for the summer.',
        play: async (stage) => {
          await stage.output.markdown(
            'The two vans can serve all 23 cafés. Three things are open before I plan:',
          );
          await stage.output.ask({
            message: 'Delivery rounds',
            questions: [
              {
                kind: 'single-select',
                id: 'start',
                title: 'Start',
                message: 'When does the first van leave?',
                required: true,
                options: [
                  { id: '5', label: '5:00', description: 'all cafés before they open', recommended: true },
                  { id: '6', label: '6:00', description: 'two cafés get their bread late' },
                ],
              },
              {
                kind: 'multi-select',
                id: 'days',
                title: 'Days',
                message: 'On which days is there a second round?',
                options: [
                  { id: 'fri', label: 'Friday' },
                  { id: 'sat', label: 'Saturday' },
                  { id: 'sun', label: 'Sunday' },
                ],
              },
              { kind: 'text', id: 'note', title: 'Note', message: 'Anything that the drivers must know?' },
            ],
          });
        },
      },
    ],
  },
  {
    title: 'New page for wholesale customers',
    minutesAgo: 2,
    left: 'open',
    project: 'website',
    acts: [
      {
        prompt: 'New page for wholesale customers, please.',
        play: async (stage, folder) => {
          await stage.output.markdown('The page shows the prices without tax and links to the order form.');
          const after = '<h1>Wholesale</h1>\n<p>Prices without tax.</p>\n<a href="/order">Order</a>\n';
          await edit(stage, { folder, path: 'pages/wholesale.html', after }, true);
        },
      },
    ],
  },
  { title: 'Discounts are a few cents off', minutesAgo: 1, left: 'open', acts: mainChat },
];
