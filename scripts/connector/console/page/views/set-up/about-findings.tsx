import type { Finding } from '../../../../doctor/finding.ts';
import { Table } from '../../parts/table.tsx';
import { strings } from './strings.ts';

type Subject = NonNullable<Finding['about']>;
type AlarmAddress = Extract<Subject, { kind: 'alarm-address' }>;
type Reward = Extract<Subject, { kind: 'reward' }>;

export function Alarms({ addresses }: { readonly addresses: readonly AlarmAddress[] }) {
  return (
    <section>
      <h2>Who gets alarms</h2>
      <div class="card">
        {addresses.length === 0 && <p>No address is known here.</p>}
        {addresses.map(({ endpoint, confirmed }) => (
          <p key={endpoint}>
            {endpoint}{' '}
            <span class={`badge ${confirmed ? 'well' : 'bad'}`}>
              {confirmed ? 'confirmed' : 'not confirmed: gets no alarms'}
            </span>
          </p>
        ))}
      </div>
    </section>
  );
}

/** Each title beside what the connector makes of it: only a person sees a wrong reading. */
export function Rewards({ rewards }: { readonly rewards: readonly Reward[] }) {
  if (rewards.length === 0) return null;
  return (
    <section>
      <h2>Rewards, and what they become in the store</h2>
      <div class="card">
        <Table
          rows={rewards}
          keyOf={({ shop, id }) => `${shop} ${id}`}
          columns={[
            {
              title: 'Reward',
              cell: ({ title, id }) => (
                <>
                  {title} <span class="soft">{id}</span>
                </>
              ),
            },
            {
              title: 'Becomes',
              cell: ({ becomes }) => (
                <>
                  <strong>{strings.readings[becomes?.kind ?? 'unread']}</strong>{' '}
                  <span>{becomes?.text}</span>
                </>
              ),
            },
          ]}
        />
      </div>
    </section>
  );
}
