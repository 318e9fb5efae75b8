import type { z } from 'zod';
import { ArtifactConflict } from './artifacts.ts';
import { ERROR_STATUS } from './errors.ts';
import { WireFrame } from './events.ts';
import { SchemaComponents } from './openapi-schemas.ts';
import { PAGE_KEY_HEADER } from './page-key.ts';
import { ROUTES, type Route } from './routes.ts';
import { WebhookPayload } from './webhooks.ts';

/** An OpenAPI 3.1 document of every route, made from the same schemas that check the requests. */
export function openApiDocument(version: string, publicUrl?: string): Record<string, unknown> {
  const schemas = new SchemaComponents();
  const paths: Record<string, Record<string, unknown>> = {};
  // Problems refer to it.
  schemas.describe(ArtifactConflict, 'output');
  for (const [name, route] of Object.entries<Route>(ROUTES)) {
    // Agents describe themselves to clients of A2A with a card.
    if (route.web || isOfAnotherProtocol(route)) continue;
    const path = route.path.replaceAll('+}', '}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describe(name, route, schemas) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Parley',
      version,
      description: 'One conversation, many agents.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [publicUrl ? { url: publicUrl } : DEFAULT_SERVER],
    security: [{ token: [] }, { cookie: [], pageKey: [] }],
    paths,
    webhooks: { event: { post: describeWebhook(schemas) } },
    components: {
      schemas: { Problem: PROBLEM, ...schemas.all() },
      responses: { Problem: FAILURE },
      securitySchemes: SECURITY,
    },
  };
}

const DEFAULT_SERVER = { url: 'http://127.0.0.1:4747', description: 'The default address of the server' };

const SECURITY = {
  token: { type: 'http', scheme: 'bearer', description: 'The token in the data folder' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'parley-4747', description: 'The port is part of the name' },
  pageKey: {
    type: 'apiKey',
    in: 'header',
    name: PAGE_KEY_HEADER,
    description: 'Issued at sign-in, together with the cookie',
  },
};

const PROBLEM = {
  type: 'object',
  required: ['type', 'title', 'status', 'code', 'detail'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    code: { type: 'string', enum: Object.keys(ERROR_STATUS) },
    detail: { type: 'string' },
    requestId: { type: 'string' },
    issues: { type: 'array', items: { type: 'string' } },
    conflicts: { type: 'array', items: { $ref: '#/components/schemas/ArtifactConflict' } },
  },
};

const FAILURE = {
  description: 'A problem: `code` is for programs, `detail` for people',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};
const FAILED = { $ref: '#/components/responses/Problem' };

function describe(name: string, route: Route, schemas: SchemaComponents): Record<string, unknown> {
  const parameters = [...parametersOf(route.params, 'path', schemas), ...parametersOf(route.query, 'query', schemas)];
  if (route.versioned === 'checked') parameters.push(IF_MATCH);
  return {
    operationId: name,
    summary: route.summary,
    ...((route.access === 'open' || route.access === 'signed') && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(route.upload && { requestBody: { required: true, content: { '*/*': { schema: BINARY } } } }),
    ...(route.body && {
      requestBody: { required: !route.bodyOptional, content: jsonContent(schemas.describe(route.body, 'input')) },
    }),
    responses: { ...successes(route, schemas), '4XX': FAILED, '5XX': FAILED },
  };
}

/** What outgoing webhooks send; any 2xx answer takes it. */
function describeWebhook(schemas: SchemaComponents): Record<string, unknown> {
  const content = jsonContent(schemas.describe(WebhookPayload, 'output'));
  const answers = { '2XX': { description: 'Delivered' }, '4XX': { description: 'Sent again; 410 ends it' } };
  const summary = 'Something happened that an outgoing webhook tells';
  return {
    operationId: 'webhookEvent',
    summary,
    security: [],
    requestBody: { required: true, content },
    responses: answers,
  };
}

const BINARY = { type: 'string', format: 'binary' };
const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The ETag the change is based on; refused if there is a newer version',
  schema: { type: 'string' },
};
const ETAG = { description: 'The version, for If-Match', schema: { type: 'string' } };

/** By status. A route that also streams on request does so with a 200, whatever its other answer's status is. */
function successes(route: Route, schemas: SchemaComponents): Record<string, unknown> {
  const streams = route.media === 'text/event-stream' && {
    200: { description: 'Server-sent events: the data of each is one frame', content: framesContent(schemas) },
  };
  return route.response === WireFrame ? { ...streams } : { ...streams, [route.status]: success(route, schemas) };
}

function success(route: Route, schemas: SchemaComponents): Record<string, unknown> {
  const content = {
    ...(route.response && jsonContent(schemas.describe(route.response, 'output'))),
    ...(route.media && route.media !== 'text/event-stream' && { [route.media]: { schema: { type: 'string' } } }),
  };
  return {
    description: route.summary,
    ...(route.versioned && route.response && { headers: { ETag: ETAG } }),
    ...(Object.keys(content).length > 0 && { content }),
  };
}

function framesContent(schemas: SchemaComponents) {
  return { 'text/event-stream': { schema: schemas.describe(WireFrame, 'output') } };
}

function parametersOf(schema: z.ZodObject | undefined, place: 'path' | 'query', schemas: SchemaComponents) {
  return Object.entries(schema?.shape ?? {}).map(
    ([name, field]): Record<string, unknown> => ({
      name,
      in: place,
      required: place === 'path' || !(field as z.ZodType).safeParse(undefined).success,
      schema: schemas.describe(field as z.ZodType, 'input'),
    }),
  );
}

function jsonContent(schema: unknown) {
  return { 'application/json': { schema } };
}

/** What A2A, MCP and OpenAI clients call is described by those protocols. */
export function isOfAnotherProtocol({ protocol, path }: Route): boolean {
  return protocol !== undefined && !path.startsWith('/api/');
}
