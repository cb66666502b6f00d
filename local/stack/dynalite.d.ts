declare module 'dynalite' {
  import type { Server } from 'node:http';

  /** The package carries no types: as much of its options as is used here. */
  export default function dynalite(options?: {
    readonly createTableMs?: number;
    /** A folder for its data; in memory without one. */
    readonly path?: string;
  }): Server;
}
