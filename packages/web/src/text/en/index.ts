import { app } from './app.ts';
import { attention } from './attention.ts';
import { board } from './board.ts';
import { chat } from './chat.ts';
import { composer } from './composer.ts';
import { connection } from './connection.ts';
import { newSession } from './new-session.ts';
import { palette } from './palette.ts';
import { presence } from './presence.ts';
import { previews } from './previews.ts';
import { questions } from './questions.ts';
import { schemaForm } from './schema-form.ts';
import { signIn } from './sign-in.ts';
import { terminal } from './terminal.ts';
import { ui } from './ui.ts';

/** The English texts, by feature. Functions take the values inside a sentence. */
export const english = {
  app,
  attention,
  board,
  chat,
  composer,
  connection,
  newSession,
  palette,
  presence,
  previews,
  questions,
  schemaForm,
  signIn,
  terminal,
  ui,
};
