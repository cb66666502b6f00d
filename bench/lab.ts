import { type Endpoints, startEndpoints } from './endpoints/endpoints.ts';
import { createOrderWriter, type WriteOrder } from './traffic/orders.ts';
import { type Bundles, buildVariants } from './variants/build-variants.ts';
import { environmentOf } from './variants/environment.ts';

/** The same endpoints, environment and orders for all variants. */
export interface Lab {
  readonly endpoints: Endpoints;
  readonly bundles: Bundles;
  readonly environment: Readonly<Record<string, string>>;
  /** The same with TLS to AWS. */
  readonly tlsEnvironment: Readonly<Record<string, string>>;
  readonly writeOrder: WriteOrder;
  /** A new id each time, because the tables keep earlier orders. */
  nextOrderId(): number;
  close(): Promise<void>;
}

export async function openLab(): Promise<Lab> {
  const bundles = await buildVariants();
  const endpoints = await startEndpoints();
  const { awsTls: aws, certificate } = endpoints;
  const authority = bundles.keep('authority.pem', certificate);
  let lastOrderId = 6_000_000_000_000;
  return {
    endpoints,
    bundles,
    environment: environmentOf(endpoints),
    tlsEnvironment: {
      ...environmentOf({ ...endpoints, aws }),
      NODE_EXTRA_CA_CERTS: authority,
    },
    writeOrder: await createOrderWriter(),
    nextOrderId() {
      lastOrderId += 1;
      return lastOrderId;
    },
    async close() {
      await endpoints.stop();
      bundles.remove();
    },
  };
}
