import { Duration } from 'aws-cdk-lib';
import { GraphWidget, type IMetric, LegendPosition } from 'aws-cdk-lib/aws-cloudwatch';

/** Three side by side fill the width of 24. */
const WIDTH = 8;
const HEIGHT = 6;

/** A graph whose title is the question that it answers, and whose axis begins at nothing. */
export function graph(
  title: string,
  left: readonly IMetric[],
  options: {
    readonly unit: string;
    readonly stacked?: boolean;
    readonly right?: readonly IMetric[];
  },
): GraphWidget {
  const { unit, stacked = false, right = [] } = options;
  return new GraphWidget({
    title,
    left: [...left],
    right: [...right],
    leftYAxis: { min: 0, label: unit, showUnits: false },
    rightYAxis: { min: 0, showUnits: false },
    stacked,
    period: Duration.minutes(1),
    legendPosition: LegendPosition.BOTTOM,
    width: WIDTH,
    height: HEIGHT,
  });
}
