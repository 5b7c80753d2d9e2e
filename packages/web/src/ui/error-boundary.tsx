import { Component, type ReactNode } from 'react';

interface Props {
  /** Shows something in place of children that failed. */
  readonly fallback: (error: unknown) => ReactNode;
  readonly children: ReactNode;
}

interface State {
  /** Absent while nothing failed. */
  readonly failure?: { readonly error: unknown };
}

/** Keeps the rest of the view when a part of it cannot be rendered, such as content that no parser can read. */
export class ErrorBoundary extends Component<Props, State> {
  static getDerivedStateFromError(error: unknown): State {
    return { failure: { error } };
  }

  override state: State = {};

  override render(): ReactNode {
    const { failure } = this.state;
    return failure === undefined ? this.props.children : this.props.fallback(failure.error);
  }
}
