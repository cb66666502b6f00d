import { DataFileError } from '../sandbox-kit/data-file-error.ts';
import { CannotStart } from './synthesize.ts';
import { UnknownInTemplate } from './template/template.ts';

/** What went wrong at the start, for whoever started it. */
export function explain(error: unknown, firstPort: number): string {
  if (!(error instanceof Error)) return String(error);
  const { code, port } = error as { readonly code?: unknown; readonly port?: unknown };
  if (code === 'EADDRINUSE') {
    return `Port ${port} is taken, perhaps by another stack. Stop that one, or give another --port than ${firstPort}.`;
  }
  if (code === 'EACCES' && port !== undefined) {
    return `Port ${port} is not open to this user. Give a --port above 1023.`;
  }
  if (code === 'LEVEL_LOCKED' || code === 'LEVEL_DATABASE_NOT_OPEN') {
    return 'The folder given with --data is in use by another stack. Stop that one, or give another folder.';
  }
  const isForPeople =
    error instanceof CannotStart ||
    error instanceof UnknownInTemplate ||
    error instanceof DataFileError;
  return isForPeople ? error.message : (error.stack ?? error.message);
}
