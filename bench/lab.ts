import { type Endpoints, startEndpoints } from './endpoints/endpoints.ts';
import { createOrderWriter, type WriteOrder } from './traffic/orders.ts';
import { type Bundles, buildVariants } from './variants/build-variants.ts';
import { environmentOf } from './variants/environment.ts';

/** What all variants are measured in: the same endpoints, the same environment, the same orders. */
export interface Lab {
  readonly endpoints: Endpoints;
  readonly bundles: Bundles;
  readonly environment: Readonly<Record<string, string>>;
  readonly writeOrder: WriteOrder;
  close(): Promise<void>;
}

export async function openLab(): Promise<Lab> {
  const bundles = await buildVariants();
  const endpoints = await startEndpoints();
  return {
    endpoints,
    bundles,
    environment: environmentOf(endpoints),
    writeOrder: await createOrderWriter(),
    async close() {
      await endpoints.stop();
      bundles.remove();
    },
  };
}
