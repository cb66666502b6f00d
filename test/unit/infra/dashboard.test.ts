import { describe, expect, it } from 'vitest';
import { synthesizeStack } from '../../support/synthesized-stack.ts';
import { alarmsOf, dashboardOf } from '../../support/watched-metrics.ts';

const template = synthesizeStack({
  deployment: { dashboard: true },
});
const { widgets, metrics } = dashboardOf(template);

describe('the dashboard', () => {
  it('begins with every alarm of the stack', () => {
    const [first] = widgets;
    expect(first?.type).toBe('alarm');
    expect(first?.properties.alarms).toHaveLength(alarmsOf(template).length);
  });

  it('ends with what to type for each alarm', () => {
    const text = widgets.at(-1)?.properties.markdown ?? '';
    expect(text).toContain('export CONNECTOR_STACK=loyalty-connector-prod');
    for (const { description } of alarmsOf(template)) {
      const [, heading = ''] = /docs\/runbook\.md, "(.+)"$/.exec(description) ?? [];
      expect(text).toContain(`| ${heading} |`);
    }
  });

  it('fills every row of its width and no more', () => {
    const rows = Map.groupBy(widgets as readonly { width: number; y?: number }[], ({ y }) => y);
    for (const row of rows.values()) {
      expect(row.reduce((sum, { width }) => sum + width, 0)).toBe(24);
    }
  });

  it('shows every queue', () => {
    const queues = Object.keys(template.findResources('AWS::SQS::Queue'));
    const shown = new Set(metrics.map(({ dimensions }) => dimensions.QueueName));
    expect(queues.filter((id) => !shown.has(`{${id}.QueueName}`))).toEqual([]);
  });

  it('is found by the output of the stack', () => {
    const { Dashboard, AlarmTopic } = template.toJSON().Outputs;
    expect(JSON.stringify(Dashboard.Value)).toContain(
      'dashboards/dashboard/loyalty-connector-prod',
    );
    expect(AlarmTopic.Value).toEqual({ Ref: expect.stringContaining('Topic') });
    template.hasResourceProperties('AWS::CloudWatch::Dashboard', {
      DashboardName: 'loyalty-connector-prod',
    });
  });
});
