import { Link } from '@tanstack/react-router';
import { text } from '../text/text.ts';

/** The list of sessions in the column on the left. */
export function SidebarBoard() {
  return (
    <div className="min-h-0 flex-1 overflow-y-auto p-2">
      <Link to="/" className="font-semibold">
        {text.app.sessions}
      </Link>
    </div>
  );
}
