/**
 * One trace id connects a creation or a click with everything that follows from it (W3C Trace Context). It is in log
 * lines, in the headers of the call to the scanner, and in the headers of bus messages. Ids always exist, but spans are
 * sampled only if a collector is configured (libs/domain/decisions/0010-tracing.md).
 */
import {
  type Attributes,
  type Context,
  context,
  type ProxyTracerProvider,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { parseKeyPairsIntoRecord, parseTraceParent } from '@opentelemetry/core';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { within } from '@waypost/resilience';

/** The exporter reads the other OTEL_EXPORTER_OTLP_* variables itself. These settings may also come from files. */
export interface TracingConfig {
  readonly otelExporterOtlpEndpoint: string | undefined;
  readonly otelExporterOtlpTracesEndpoint?: string | undefined;
  readonly otelExporterOtlpHeaders?: string | undefined;
  readonly otelServiceName?: string | undefined;
  readonly otelResourceAttributes?: string | undefined;
  readonly otelSdkDisabled?: 'true' | 'false';
  readonly otelTracesSamplerArg: number;
}

/** When the process ends, the last spans must be sent within this time. */
const SEND_WITHIN_MS = 2_000;

/** What belongs to the registered provider, and ends with it. Undefined without a collector. */
interface Tracing {
  readonly sampler: TraceIdRatioBasedSampler;
  readonly ids: SpanIds;
  readonly messagingSystem: string;
}
type Provider = TracerProvider & { readonly tracing?: Tracing };
const tracingNow = () => ((trace.getTracerProvider() as ProxyTracerProvider).getDelegate() as Provider).tracing;

/** Random ids, except for a span whose id other processes name before it exists. */
class SpanIds extends RandomIdGenerator {
  #next: SpanContext | null = null;

  override generateTraceId(): string {
    return this.#next?.traceId ?? super.generateTraceId();
  }

  override generateSpanId(): string {
    return this.#next?.spanId ?? super.generateSpanId();
  }

  /** `start` starts one span. */
  for(parent: string, start: () => Span): Span {
    this.#next = parseTraceParent(parent);
    try {
      return start();
    } finally {
      this.#next = null;
    }
  }
}

const isSampled = (traceId: string) =>
  tracingNow()?.sampler.shouldSample(ROOT_CONTEXT, traceId).decision === SamplingDecision.RECORD_AND_SAMPLED;

/** `messagingSystem` names the bus of the process, as the semantic conventions of OpenTelemetry do. */
export async function startTracing(
  service: string,
  config: TracingConfig,
  messagingSystem = 'kafka',
): Promise<{ stop(): Promise<void> }> {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
  const provider = await tracerProvider(service, config, messagingSystem);
  trace.setGlobalTracerProvider(provider);
  return {
    stop: async () => {
      // The exporter retries for 10 s, but an unreachable collector must not delay the end of a process.
      const sent = provider.shutdown().catch(() => undefined);
      await within(sent, SEND_WITHIN_MS, undefined);
      trace.disable();
      context.disable();
    },
  };
}

async function tracerProvider(service: string, config: TracingConfig, messagingSystem: string): Promise<Provider> {
  const url = collectorOf(config);
  if (url === undefined) return new TracerProvider({ sampler: new AlwaysOffSampler() });
  const sampler = new TraceIdRatioBasedSampler(config.otelTracesSamplerArg);
  const ids = new SpanIds();
  // The exporter is loaded only if it is needed, because most processes have no collector.
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const provider = new TracerProvider({
    idGenerator: ids,
    // The trace id decides whether a trace is sampled. For an incoming trace the flag decides, too, but the public
    // listener sets the flag itself.
    sampler: new ParentBasedSampler({ root: sampler, remoteParentSampled: sampler, localParentSampled: sampler }),
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': service }))
      .merge(resourceFromAttributes(parseKeyPairsIntoRecord(config.otelResourceAttributes)))
      .merge(resourceFromAttributes(config.otelServiceName ? { 'service.name': config.otelServiceName } : {})),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url, headers: parseKeyPairsIntoRecord(config.otelExporterOtlpHeaders) }),
      }),
    ],
  });
  return Object.assign(provider, { tracing: { sampler, ids, messagingSystem } });
}

function collectorOf(config: TracingConfig): string | undefined {
  const { otelExporterOtlpEndpoint: endpoint, otelExporterOtlpTracesEndpoint, otelSdkDisabled } = config;
  if (otelSdkDisabled === 'true') return undefined;
  return otelExporterOtlpTracesEndpoint ?? (endpoint && `${endpoint.replace(/\/$/, '')}/v1/traces`);
}

const tracer = () => trace.getTracer('waypost');

export function traceparent(): string | undefined {
  const span = trace.getActiveSpan()?.spanContext();
  return span && `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`;
}

export function traceIdNow(): string | undefined {
  return trace.getActiveSpan()?.spanContext().traceId;
}

export function traceIdOf(parent: string | undefined): string | undefined {
  return parent === undefined ? undefined : parseTraceParent(parent)?.traceId;
}

/**
 * The trace id has the same digits as the UUID. So the trace id of a click also finds its row in ClickHouse. The span
 * that the parent names is recorded by `recordSpans` with `begins`.
 */
export function traceparentOfUuid(uuid: string): string {
  const traceId = uuid.replaceAll('-', '');
  return `00-${traceId}-${traceId.slice(16)}-${isSampled(traceId) ? '01' : '00'}`;
}

/** Runs `work` in its own span of the trace of `parent`, or of a new trace. */
export async function inSpan<T>(name: string, parent: string | undefined, work: () => Promise<T>): Promise<T> {
  return ended(tracer().startSpan(name, {}, contextOf(parent)), work);
}

/**
 * Runs `work`, which calls another system, in its own span if the current trace is sampled. The attributes follow the
 * semantic conventions of OpenTelemetry; `work` may add more.
 */
export function inClientSpan<T>(
  name: string,
  attributes: Attributes,
  work: (add: (more: Attributes) => void) => Promise<T>,
): Promise<T> {
  if (trace.getActiveSpan()?.isRecording() !== true) return work(() => undefined);
  const span = tracer().startSpan(name, { kind: SpanKind.CLIENT, attributes });
  return ended(span, () => work((more) => void span.setAttributes(more)));
}

async function ended<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await context.with(trace.setSpan(context.active(), span), work);
  } catch (error) {
    span.recordException(error as Error);
    failed(span, error instanceof Error ? error.name : 'unknown');
    throw error;
  } finally {
    span.end();
  }
}

export function failed(span: Span, type: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', type);
}

interface MessageSpans {
  readonly operation: 'send' | 'process';
  /** The topic. */
  readonly destination: string;
  /** The span begins its trace: it has the id that `traceparentOfUuid` names as the parent of what follows. */
  readonly begins?: true;
}

/** Records a completed span for each item with a sampled trace. Times are in Unix milliseconds. */
export function recordSpans<T>(
  name: string,
  items: Iterable<T>,
  parentOf: (item: T) => string | undefined,
  startOf: (item: T) => number,
  endTime: number,
  { operation, destination, begins }: MessageSpans,
): void {
  const tracing = tracingNow();
  if (tracing === undefined) return;
  const kind = operation === 'send' ? SpanKind.PRODUCER : SpanKind.CONSUMER;
  const attributes = {
    'messaging.system': tracing.messagingSystem,
    'messaging.destination.name': destination,
    'messaging.operation.name': operation,
    'messaging.operation.type': operation,
  };
  for (const item of items) {
    const parent = parentOf(item);
    if (parent?.endsWith('-01') !== true) continue;
    const start = (context: Context) =>
      tracer().startSpan(name, { kind, attributes, startTime: startOf(item) }, context);
    const span = begins ? tracing.ids.for(parent, () => start(ROOT_CONTEXT)) : start(contextOf(parent));
    span.end(endTime);
  }
}

/** Starts a span for an incoming request, in the trace of `parent` or in a new trace. The caller must end the span. */
export function startServerSpan(name: string, parent: string | undefined): Span {
  return tracer().startSpan(name, { kind: SpanKind.SERVER }, contextOf(parent));
}

/** Everything that `work` starts belongs to the span, also asynchronous work. */
export function runWithin(span: Span, work: () => void): void {
  context.with(trace.setSpan(context.active(), span), work);
}

/**
 * Returns the parent of a request from outside. It keeps the trace id of the caller, for the caller's logs and ours.
 * But the caller does not decide whether the trace is sampled: a random id does.
 */
export function strangersParent(header: string | undefined): string | undefined {
  const parent = parseTraceParent(header ?? '');
  if (parent === null) return undefined;
  return `00-${parent.traceId}-${parent.spanId}-${isSampled(crypto.randomUUID().replaceAll('-', '')) ? '01' : '00'}`;
}

function contextOf(parent: string | undefined): Context {
  const span = parent === undefined ? null : parseTraceParent(parent);
  return span === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...span, isRemote: true });
}
