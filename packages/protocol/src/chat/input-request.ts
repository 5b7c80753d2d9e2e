import type { URI } from '../wire/basics.ts';

/** Questions of a turn to people. A request is open while it is a part of the active turn without a response [CHAT-27]. */
export interface ChatInputRequest {
  id: string;
  /** Explanation of the whole request. */
  message?: string;
  /** A page to open. */
  url?: URI;
  /** In the order to ask them. */
  questions?: ChatInputQuestion[];
  /** By question id; shared between clients while people type. */
  answers?: Record<string, ChatInputAnswer>;
}

/** How a request was closed: answered, declined or dismissed. */
export type ChatInputResponseKind = 'accept' | 'decline' | 'cancel';

/** One question. */
export type ChatInputQuestion =
  | ChatInputTextQuestion
  | ChatInputNumberQuestion
  | ChatInputBooleanQuestion
  | ChatInputSingleSelectQuestion
  | ChatInputMultiSelectQuestion;

/** Fields of every question. */
export interface ChatInputQuestionBase {
  /** Unique in its request. */
  id: string;
  title?: string;
  message: string;
  /**
   * True: the request can be accepted only with a submitted answer to this question [CHAT-13]. Absent: false.
   */
  required?: boolean;
}

/** Asks for text. */
export interface ChatInputTextQuestion extends ChatInputQuestionBase {
  kind: 'text';
  /** Hint: `email`, `uri`, `date`, `date-time`, or a newer value. */
  format?: string;
  /** Least length in UTF-16 code units. */
  min?: number;
  /** Greatest length in UTF-16 code units. */
  max?: number;
  defaultValue?: string;
}

/** Asks for a number, or for an integer. */
export interface ChatInputNumberQuestion extends ChatInputQuestionBase {
  kind: 'number' | 'integer';
  /** Smallest allowed value. */
  min?: number;
  /** Largest allowed value. */
  max?: number;
  defaultValue?: number;
}

/** Asks for yes or no. */
export interface ChatInputBooleanQuestion extends ChatInputQuestionBase {
  kind: 'boolean';
  defaultValue?: boolean;
}

/** Fields of both questions with options. */
export interface ChatInputSelectQuestionBase extends ChatInputQuestionBase {
  options: ChatInputOption[];
  /** True: `freeformValues` are allowed. Absent: false. */
  allowFreeformInput?: boolean;
}

/** Asks for one option. */
export interface ChatInputSingleSelectQuestion extends ChatInputSelectQuestionBase {
  kind: 'single-select';
}

/** Asks for several options. */
export interface ChatInputMultiSelectQuestion extends ChatInputSelectQuestionBase {
  kind: 'multi-select';
  /** Least number of options. */
  min?: number;
  /** Greatest number of options. */
  max?: number;
}

/** An option of a question. */
export interface ChatInputOption {
  /** Unique in its question; the value of an answer. */
  id: string;
  label: string;
  description?: string;
  /** True: selected initially. Absent: false. */
  recommended?: boolean;
}

/** The present answer to a question. */
export type ChatInputAnswer = ChatInputAnswered | ChatInputSkipped;

/** An answer. A `draft` can still change and does not count as submitted. */
export interface ChatInputAnswered {
  state: 'draft' | 'submitted';
  value: ChatInputAnswerValue;
}

/** Skipped on purpose, which does not count as submitted [CHAT-13]. */
export interface ChatInputSkipped {
  state: 'skipped';
  /** The reason, if one was given. */
  freeformValues?: string[];
}

/** The value of an answer; its kind must match the question's [CHAT-13]. */
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
  /** A free-form value instead of an option. */
  freeformValues?: string[];
}

/** For `multi-select`. */
export interface ChatInputSelectedManyAnswerValue {
  kind: 'selected-many';
  /** Ids of options. */
  value: string[];
  /** Free-form values in addition. */
  freeformValues?: string[];
}
