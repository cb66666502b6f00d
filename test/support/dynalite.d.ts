declare module 'dynalite' {
  import type { Server } from 'node:http';

  /** The package carries no types: as much of its readme as is used here. */
  export default function dynalite(options?: { readonly createTableMs?: number }): Server;
}
