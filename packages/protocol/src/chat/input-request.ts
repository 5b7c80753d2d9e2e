import type { URI } from '../common/types.ts';

export type ChatInputAnswer = ChatInputAnswered | ChatInputSkipped;

export type ChatInputAnswerValue =
  | ChatInputTextAnswerValue
  | ChatInputNumberAnswerValue
  | ChatInputBooleanAnswerValue
  | ChatInputSelectedAnswerValue
  | ChatInputSelectedManyAnswerValue;

export interface ChatInputAnswered {
  state: 'draft' | 'submitted';
  value: ChatInputAnswerValue;
}

export interface ChatInputBooleanAnswerValue {
  kind: 'boolean';
  value: boolean;
}

export interface ChatInputBooleanQuestion {
  id: string;
  title?: string;
  message: string;
  required?: boolean;
  kind: 'boolean';
  defaultValue?: boolean;
}

export interface ChatInputMultiSelectQuestion {
  id: string;
  title?: string;
  message: string;
  required?: boolean;
  kind: 'multi-select';
  options: ChatInputOption[];
  allowFreeformInput?: boolean;
  min?: number;
  max?: number;
}

export interface ChatInputNumberAnswerValue {
  kind: 'number';
  value: number;
}

export interface ChatInputNumberQuestion {
  id: string;
  title?: string;
  message: string;
  required?: boolean;
  kind: 'number' | 'integer';
  min?: number;
  max?: number;
  defaultValue?: number;
}

export interface ChatInputOption {
  id: string;
  label: string;
  description?: string;
  recommended?: boolean;
}

export type ChatInputQuestion =
  | ChatInputTextQuestion
  | ChatInputNumberQuestion
  | ChatInputBooleanQuestion
  | ChatInputSingleSelectQuestion
  | ChatInputMultiSelectQuestion;

export interface ChatInputQuestionBase {
  id: string;
  title?: string;
  message: string;
  required?: boolean;
}

export interface ChatInputRequest {
  id: string;
  message?: string;
  url?: URI;
  questions?: ChatInputQuestion[];
  answers?: Record<string, ChatInputAnswer>;
}

export type ChatInputResponseKind = 'accept' | 'decline' | 'cancel';

export interface ChatInputSelectedAnswerValue {
  kind: 'selected';
  value: string;
  freeformValues?: string[];
}

export interface ChatInputSelectedManyAnswerValue {
  kind: 'selected-many';
  value: string[];
  freeformValues?: string[];
}

export interface ChatInputSingleSelectQuestion {
  id: string;
  title?: string;
  message: string;
  required?: boolean;
  kind: 'single-select';
  options: ChatInputOption[];
  allowFreeformInput?: boolean;
}

export interface ChatInputSkipped {
  state: 'skipped';
  freeformValues?: string[];
}

export interface ChatInputTextAnswerValue {
  kind: 'text';
  value: string;
}

export interface ChatInputTextQuestion {
  id: string;
  title?: string;
  message: string;
  required?: boolean;
  kind: 'text';
  format?: string;
  min?: number;
  max?: number;
  defaultValue?: string;
}
