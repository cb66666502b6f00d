import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { concatAST, type DocumentNode, Kind, parse, separateOperations } from 'graphql';

const FOLDER = join(import.meta.dirname, '../../shared/shopify/admin/documents');

/** One operation with the fragments it uses, ready to be sent. */
export interface AdminOperation {
  readonly name: string;
  readonly document: DocumentNode;
}

export function readAdminOperations(): readonly AdminOperation[] {
  const files = globSync(join(FOLDER, '**/*.graphql')).sort();
  const parsed = files.map((file) => parse(readFileSync(file, 'utf8'), { noLocation: true }));
  const operations = Object.entries(separateOperations(concatAST(parsed)));
  return operations.map(([name, { kind, definitions }]) => {
    // Read first by people, and by what looks for the name of a request.
    const fragments = definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION);
    const own = definitions.filter((one) => one.kind !== Kind.FRAGMENT_DEFINITION);
    return { name, document: { kind, definitions: [...own, ...fragments] } };
  });
}
