import type { ToolDefinition } from '@agenthost/protocol';

/** The names of the tools for comments. */
type CommentToolName = 'list_comments' | 'comment' | 'reply_to_comment' | 'resolve_comment';

const ID = { type: 'string', description: 'Id of the comment' };
const TEXT = { type: 'string', description: 'Markdown, at most 32,768 characters' };

/** The tools for comments, as models get them. */
export const COMMENT_TOOLS: readonly (ToolDefinition & {
  readonly name: CommentToolName;
  readonly title: string;
})[] = [
  {
    name: 'list_comments',
    title: 'List comments',
    description:
      'Lists the open comments on files of this session, one JSON object a line: its id, the file, the present lines (counted from 1), their text, and the comments with their authors. `outdated` means that the file no longer has the lines.',
    inputSchema: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'comment',
    title: 'Comment on a file',
    description:
      'Writes a comment on lines of a file, or on the whole file without lines. People see it beside the lines in their diffs and files, and can answer it. It follows the lines when the file changes. Use it for findings of a review and for questions about code, not to tell of your progress.',
    inputSchema: {
      type: 'object',
      properties: {
        file: { type: 'string', description: 'Path, relative to the working directory or absolute' },
        first_line: { type: 'integer', minimum: 1, description: 'First line, counted from 1' },
        last_line: { type: 'integer', minimum: 1, description: 'Last line; default: the first one' },
        text: TEXT,
      },
      required: ['file', 'text'],
    },
    annotations: { readOnlyHint: false, destructiveHint: false },
  },
  {
    name: 'reply_to_comment',
    title: 'Answer a comment',
    description: 'Adds an answer to a comment. The comment stays open.',
    inputSchema: { type: 'object', properties: { id: ID, text: TEXT }, required: ['id', 'text'] },
    annotations: { readOnlyHint: false, destructiveHint: false },
  },
  {
    name: 'resolve_comment',
    title: 'Resolve a comment',
    description:
      'Marks a comment as resolved when you have done what it asks, or answered its question. `text` is added as an answer first. People can open it again.',
    inputSchema: {
      type: 'object',
      properties: { id: ID, text: { ...TEXT, description: `Answer; ${TEXT.description}` } },
      required: ['id'],
    },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  },
];
