CREATE TABLE "picture_copies" (
	"key" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"made_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "picture_work" (
	"kind" text NOT NULL,
	"listing_id" text NOT NULL,
	"host" text NOT NULL,
	"hash" text NOT NULL,
	"state" text NOT NULL,
	"attempts" integer NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"leased_until" timestamp with time zone,
	"parts" json NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "picture_work_kind_listing_id_pk" PRIMARY KEY("kind","listing_id")
);
--> statement-breakpoint
CREATE INDEX "picture_copies_name" ON "picture_copies" USING btree ("name");--> statement-breakpoint
CREATE INDEX "picture_work_due" ON "picture_work" USING btree ("due_at","listing_id") WHERE "picture_work"."state" = 'waiting';--> statement-breakpoint
CREATE INDEX "picture_work_leased" ON "picture_work" USING btree ("leased_until") WHERE "picture_work"."leased_until" is not null;--> statement-breakpoint
CREATE INDEX "picture_work_state" ON "picture_work" USING btree ("state","updated_at");