import type { URI } from '../wire/basics.ts';

/** Questions that a turn puts to people, open while it stands in a chat's `inputRequests` [CHAT-13]. */
export interface ChatInputRequest {
  id: string;
  /** What it is about as a whole. */
  message?: string;
  /** A page to open and act on. */
  url?: URI;
  /** In the order to ask. */
  questions?: ChatInputQuestion[];
  /** By question id; shared between clients while people type. */
  answers?: Record<string, ChatInputAnswer>;
}

/** How a request was closed: answered, refused, or dismissed. */
export type ChatInputResponseKind = 'accept' | 'decline' | 'cancel';

/** One question. */
export type ChatInputQuestion =
  | ChatInputTextQuestion
  | ChatInputNumberQuestion
  | ChatInputBooleanQuestion
  | ChatInputSingleSelectQuestion
  | ChatInputMultiSelectQuestion;

/** What every question has. */
export interface ChatInputQuestionBase {
  /** Unique in its request. */
  id: string;
  title?: string;
  message: string;
  /** True: `accept` takes a submitted answer to it [CHAT-13]. Absent: false. */
  required?: boolean;
}

/** Asks for text. */
export interface ChatInputTextQuestion extends ChatInputQuestionBase {
  kind: 'text';
  /** A hint: `email`, `uri`, `date`, `date-time`, or something newer. */
  format?: string;
  /** Shortest, in UTF-16 code units. */
  min?: number;
  /** Longest, in UTF-16 code units. */
  max?: number;
  defaultValue?: string;
}

/** Asks for a number, or a whole one. */
export interface ChatInputNumberQuestion extends ChatInputQuestionBase {
  kind: 'number' | 'integer';
  /** Smallest, itself allowed. */
  min?: number;
  /** Largest, itself allowed. */
  max?: number;
  defaultValue?: number;
}

/** Asks yes or no. */
export interface ChatInputBooleanQuestion extends ChatInputQuestionBase {
  kind: 'boolean';
  defaultValue?: boolean;
}

/** What both questions with options have. */
export interface ChatInputSelectQuestionBase extends ChatInputQuestionBase {
  options: ChatInputOption[];
  /** True: `freeformValues` may be given as well. Absent: false. */
  allowFreeformInput?: boolean;
}

/** Asks to choose one. */
export interface ChatInputSingleSelectQuestion extends ChatInputSelectQuestionBase {
  kind: 'single-select';
}

/** Asks to choose some. */
export interface ChatInputMultiSelectQuestion extends ChatInputSelectQuestionBase {
  kind: 'multi-select';
  /** Fewest options. */
  min?: number;
  /** Most options. */
  max?: number;
}

/** Something to choose. */
export interface ChatInputOption {
  /** Unique in its question; what an answer holds. */
  id: string;
  label: string;
  description?: string;
  /** True: chosen to begin with. Absent: false. */
  recommended?: boolean;
}

/** What has become of a question so far. */
export type ChatInputAnswer = ChatInputAnswered | ChatInputSkipped;

/** Answered; a `draft` can still change and satisfies nothing. */
export interface ChatInputAnswered {
  state: 'draft' | 'submitted';
  value: ChatInputAnswerValue;
}

/** Left out on purpose, which does not count as submitted [CHAT-13]. */
export interface ChatInputSkipped {
  state: 'skipped';
  /** The reason, where one was given. */
  freeformValues?: string[];
}

/** An answer's value; its kind has to fit the question's [CHAT-13]. */
export type ChatInputAnswerValue =
  | ChatInputTextAnswerValue
  | ChatInputNumberAnswerValue
  | ChatInputBooleanAnswerValue
  | ChatInputSelectedAnswerValue
  | ChatInputSelectedManyAnswerValue;

/** For `text`. */
export interface ChatInputTextAnswerValue {
  kind: 'text';
  value: string;
}

/** For `number` and `integer`. */
export interface ChatInputNumberAnswerValue {
  kind: 'number';
  value: number;
}

/** For `boolean`. */
export interface ChatInputBooleanAnswerValue {
  kind: 'boolean';
  value: boolean;
}

/** For `single-select`. */
export interface ChatInputSelectedAnswerValue {
  kind: 'selected';
  /** An option's id. */
  value: string;
  /** Own words in place of an option. */
  freeformValues?: string[];
}

/** For `multi-select`. */
export interface ChatInputSelectedManyAnswerValue {
  kind: 'selected-many';
  /** Ids of options. */
  value: string[];
  /** Own words besides them. */
  freeformValues?: string[];
}
