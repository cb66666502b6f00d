export const ERROR = '__typename ... on ErrorResult { errorCode message }';

/** Of the administrator that the server has at its first start. */
export const LOGIN = { username: 'superadmin', password: 'superadmin' };

/** The Shop and Admin APIs of a Vendure server, as a storefront and a merchant use them. */
export class VendureShop {
  readonly #address: string;
  #admin: string | undefined;

  constructor(port: number) {
    this.#address = `http://127.0.0.1:${port}`;
  }

  /** As the merchant. Throws when the server refuses it. */
  async admin<Data>(query: string, variables: object = {}, channel?: string): Promise<Data> {
    this.#admin ??= (
      await this.#post(
        'admin-api',
        'mutation ($username: String!, $password: String!) { login(username: $username, password: $password) { __typename } }',
        LOGIN,
      )
    ).token;
    return (await this.#post('admin-api', query, variables, this.#admin, channel)).data as Data;
  }

  /** One mutation with one input. */
  async change(name: string, type: string, input: object): Promise<void> {
    await this.admin(
      `mutation ($input: ${type}!) { ${name}(input: $input) { ${hasErrors(name) ? ERROR : '__typename'} } }`,
      { input },
    );
  }

  /** As `change`. Returns the id of what it made. */
  async create(name: string, type: string, input: object): Promise<string> {
    const data = await this.admin<Record<string, { readonly id: string }>>(
      `mutation ($input: ${type}!) { ${name}(input: $input) { ${idOf(name)} } }`,
      { input },
    );
    return data[name]?.id ?? '';
  }

  /** A visitor, or a customer after they logged in. */
  visit(channel?: string): Visitor {
    let token: string | undefined;
    return async <Data>(query: string, variables: object = {}): Promise<Data> => {
      const answer = await this.#post('shop-api', query, variables, token, channel);
      token = answer.token ?? token;
      return answer.data as Data;
    };
  }

  async #post(api: string, query: string, variables: object, token?: string, channel?: string) {
    const answer = await fetch(`${this.#address}/${api}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        // A connection that is kept may be closing on the other side when a busy machine uses it again.
        connection: 'close',
        ...(token && { authorization: `Bearer ${token}` }),
        ...(channel && { 'vendure-token': channel }),
      },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await answer.json()) as { data: unknown; errors?: unknown[] };
    const refused = errors ?? Object.values(data ?? {}).find(isError);
    if (refused) throw new Refused(`${query.slice(0, 120)}: ${JSON.stringify(refused)}`);
    return { data, token: answer.headers.get('vendure-auth-token') ?? undefined };
  }
}

export type Visitor = <Data>(query: string, variables?: object) => Promise<Data>;

/** The server understood, and said no. */
class Refused extends Error {}

const isError = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'errorCode' in value;

/** The others answer with the thing itself, and fail as a whole. */
const hasErrors = (name: string): boolean => name !== 'updateProduct';

/** What the answer is besides an error, for those that may answer with one. */
const RESULTS: Readonly<Record<string, string>> = {
  createPromotion: 'Promotion',
  createChannel: 'Channel',
  addFulfillmentToOrder: 'Fulfillment',
  refundOrder: 'Refund',
};

function idOf(name: string): string {
  const type = RESULTS[name];
  return type ? `${ERROR} ... on ${type} { id }` : 'id';
}
