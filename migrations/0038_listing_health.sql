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
CREATE INDEX "listing_health_due" ON "listing_health" USING btree ("kind","next_at");--> statement-breakpoint
CREATE INDEX "listing_health_news" ON "listing_health" USING btree ("since") WHERE "listing_health"."state" in ('gone', 'parked', 'moved');