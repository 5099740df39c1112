CREATE TABLE "visitor_reports" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"listing_id" text NOT NULL,
	"state" text NOT NULL,
	"counts" jsonb NOT NULL,
	"messages" jsonb NOT NULL,
	"answer" text NOT NULL,
	"answered_by" text,
	"answered_at" timestamp with time zone,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	"version" integer DEFAULT 1 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "listing_health" (
	"listing_id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"website" text NOT NULL,
	"host" text NOT NULL,
	"next_at" timestamp with time zone NOT NULL,
	"claim" text,
	"state" text DEFAULT 'unknown' NOT NULL,
	"since" timestamp with time zone,
	"checked_at" timestamp with time zone,
	"status" integer,
	"final_url" text,
	"suspected" text,
	"suspected_at" timestamp with time zone,
	"suspected_looks" integer DEFAULT 0 NOT NULL,
	"successor_id" text,
	"decided_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "directories" ADD COLUMN "ended" text;--> statement-breakpoint
ALTER TABLE "tools" ADD COLUMN "ended" text;--> statement-breakpoint
CREATE UNIQUE INDEX "visitor_reports_listing" ON "visitor_reports" USING btree ("listing_id");--> statement-breakpoint
CREATE INDEX "visitor_reports_state" ON "visitor_reports" USING btree ("state","last_at");--> statement-breakpoint
CREATE INDEX "listing_health_due" ON "listing_health" USING btree ("kind","next_at");--> statement-breakpoint
CREATE INDEX "listing_health_news" ON "listing_health" USING btree ("since") WHERE "listing_health"."state" in ('gone', 'parked', 'moved');