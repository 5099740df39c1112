CREATE TABLE "submission_tags" (
	"submission_id" text NOT NULL,
	"slug" text NOT NULL,
	"written" text NOT NULL,
	CONSTRAINT "submission_tags_submission_id_slug_pk" PRIMARY KEY("submission_id","slug")
);
--> statement-breakpoint
ALTER TABLE "tags" ADD COLUMN "name_key" text;--> statement-breakpoint
ALTER TABLE "tags" ADD COLUMN "submitted_by" text;--> statement-breakpoint
ALTER TABLE "submission_tags" ADD CONSTRAINT "submission_tags_submission_id_submissions_id_fk" FOREIGN KEY ("submission_id") REFERENCES "public"."submissions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "submission_tags_slug" ON "submission_tags" USING btree ("slug");--> statement-breakpoint
CREATE INDEX "tags_name_key" ON "tags" USING btree ("name_key");--> statement-breakpoint
CREATE INDEX "tags_submitted_by" ON "tags" USING btree ("submitted_by") WHERE "tags"."submitted";--> statement-breakpoint
CREATE INDEX "tags_slug_beginning" ON "tags" USING btree ("slug" text_pattern_ops);