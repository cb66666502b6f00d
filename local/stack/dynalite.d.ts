declare module 'dynalite' {
  import type { Server } from 'node:http';

  /** The package has no types; these are the options used here. */
  export default function dynalite(options?: {
    readonly createTableMs?: number;
    /** The folder for the data. Absent: in memory. */
    readonly path?: string;
  }): Server;
}
