import { BarChart } from 'echarts/charts';
import { GridComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';

/** A series of bars. Colours are CSS, so that a page can use variables for its light and dark appearance. */
export interface BarSeries {
  readonly values: readonly number[];
  /** One colour for all bars, or one for each. */
  readonly colour: string | readonly string[];
}

/** A chart of vertical bars; the series are stacked. */
export interface BarChartOptions {
  /** The label of each bar. They must come from berth: the chart does not check them. */
  readonly labels: readonly string[];
  readonly series: readonly BarSeries[];
  /** Pixels; the page scales the chart. */
  readonly width: number;
  readonly height: number;
  /** Colours of text and of lines, as CSS. */
  readonly textColour: string;
  readonly lineColour: string;
}

/** Draws a chart as an `<svg>` element, without script and without a reference to another file. */
export function barChart({ labels, series, width, height, textColour, lineColour }: BarChartOptions): string {
  use([BarChart, GridComponent, SVGRenderer]);
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  const last = series.length - 1;
  chart.setOption({
    animation: false,
    textStyle: { fontFamily: 'inherit' },
    grid: { left: 8, right: 12, top: 12, bottom: 4, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
    xAxis: {
      type: 'category',
      data: [...labels],
      axisTick: { show: false },
      axisLine: { lineStyle: { color: lineColour } },
      axisLabel: { color: textColour, fontSize: 12, hideOverlap: true },
    },
    yAxis: {
      type: 'value',
      minInterval: 1,
      axisLabel: { color: textColour, fontSize: 12 },
      splitLine: { lineStyle: { color: lineColour, type: 'dashed' } },
    },
    series: series.map(({ values, colour }, at) => ({
      type: 'bar',
      stack: 'all',
      barCategoryGap: '14%',
      barMaxWidth: 64,
      silent: true,
      itemStyle: at === last && series.length === 1 ? { borderRadius: [3, 3, 0, 0] } : {},
      data: values.map((value, index) => ({
        value,
        itemStyle: { color: typeof colour === 'string' ? colour : (colour[index] ?? textColour) },
      })),
    })),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}
