CREATE TABLE "catalog_feed" (
	"id" text PRIMARY KEY NOT NULL,
	"last" bigint NOT NULL,
	"removed" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "catalog_marks" (
	"kind" text NOT NULL,
	"slug" text NOT NULL,
	"version" integer NOT NULL,
	"gone" boolean NOT NULL,
	"position" bigint NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "catalog_marks_kind_slug_pk" PRIMARY KEY("kind","slug")
);
--> statement-breakpoint
CREATE TABLE "proposals" (
	"id" text PRIMARY KEY NOT NULL,
	"tool_id" text NOT NULL,
	"author_kind" text NOT NULL,
	"author_id" text NOT NULL,
	"field" text NOT NULL,
	"old_value" json,
	"new_value" json,
	"state" text NOT NULL,
	"reason" text NOT NULL,
	"decided_by" text,
	"decided_at" timestamp with time zone,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "withdrawals" (
	"partner_id" text NOT NULL,
	"test" boolean NOT NULL,
	"tool_id" text NOT NULL,
	"slug" text NOT NULL,
	"website_key" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "withdrawals_partner_id_test_tool_id_pk" PRIMARY KEY("partner_id","test","tool_id")
);
--> statement-breakpoint
CREATE TABLE "event_feeds" (
	"partner_id" text NOT NULL,
	"test" boolean NOT NULL,
	"last" bigint NOT NULL,
	"removed" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "event_feeds_partner_id_test_pk" PRIMARY KEY("partner_id","test")
);
--> statement-breakpoint
CREATE TABLE "partner_events" (
	"partner_id" text NOT NULL,
	"test" boolean NOT NULL,
	"position" bigint NOT NULL,
	"id" text NOT NULL,
	"event" text NOT NULL,
	"body" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "partner_events_partner_id_test_position_pk" PRIMARY KEY("partner_id","test","position")
);
--> statement-breakpoint
ALTER TABLE "tools" ADD COLUMN "edited_fields" text[];--> statement-breakpoint
ALTER TABLE "proposals" ADD CONSTRAINT "proposals_tool_id_tools_id_fk" FOREIGN KEY ("tool_id") REFERENCES "public"."tools"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "withdrawals" ADD CONSTRAINT "withdrawals_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "event_feeds" ADD CONSTRAINT "event_feeds_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "partner_events" ADD CONSTRAINT "partner_events_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "catalog_marks_position" ON "catalog_marks" USING btree ("position");--> statement-breakpoint
CREATE UNIQUE INDEX "proposals_waiting" ON "proposals" USING btree ("tool_id","author_kind","author_id","field") WHERE "proposals"."state" = 'waiting';--> statement-breakpoint
CREATE INDEX "proposals_state" ON "proposals" USING btree ("state","created_at");--> statement-breakpoint
CREATE INDEX "proposals_created" ON "proposals" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "withdrawals_created" ON "withdrawals" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "partner_events_created" ON "partner_events" USING btree ("created_at");